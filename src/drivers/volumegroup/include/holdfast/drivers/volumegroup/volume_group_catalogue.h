/// What a repository says of one backup of a group, in a snapshot of its own: one file,
/// /catalogue.json, that is written last.
///
///   {"version": 1 (2: with logs), "group": "NS/NAME", "id": UID of the action, "time": RFC 3339,
///    "consistency": verdict, "consistencyReason": …, "consistencyMessage": …,
///    "claims": [ClaimRecord with snapshotID, …]}
#pragma once

#include <holdfast/drivers/volumegroup/volume_group_run.h>

namespace holdfast::drivers::volumegroup {

inline constexpr std::string_view kCatalogueName = "catalogue.json";
inline constexpr std::string_view kCatalogueTag = "catalogue";

struct Catalogue {
  int64_t version = 1;
  std::string group{}, id{}, time{}, reason{}, message{};
  Consistency verdict = Consistency::Unknown;
  std::vector<ClaimRecord> claims{};
  template <class V>
  void fields(V& v) {
    v.required("version", version, "of the format");
    v.required("group", group, "NAMESPACE/NAME");
    v.required("id", id, "of the backup");
    v.required("time", time, "of the cut");
    v.required("consistency", verdict, "of the cut");
    v.optional("consistencyReason", reason, "why");
    v.optional("consistencyMessage", message, "why");
    v.required("claims", claims, "as they were, with the snapshot of each");
  }
};

/// Content of a bucket, which anybody may have written: Invalid says what is wrong with it.
Result<Catalogue> parse_catalogue(std::string_view text);

}  // namespace holdfast::drivers::volumegroup
