/// The catalogue of one backup of several volumes, in a repository's snapshot of its own: one file,
/// /catalogue.json, that is written last. A backup without one is not listed.
///
///   {"version": 1 (2: with logs), "group": "NS/NAME" of what was backed up, "id": of the backup,
///    "time": RFC 3339, "consistency": verdict, "consistencyReason": …, "consistencyMessage": …,
///    "claims": [ClaimRecord with snapshotID, …]}
///
/// It is found by the tags of its snapshot: catalogue, SUBJECT=NS/NAME, ID=…, where the two words
/// are the driver's.
#pragma once

#include <holdfast/control/refusal.h>
#include <holdfast/protect/cut/verdict.h>
#include <holdfast/protect/data_move.h>

#include <optional>

namespace holdfast::protect {

inline constexpr std::string_view kCatalogueName = "catalogue.json";
inline constexpr std::string_view kCatalogueTag = "catalogue";

struct Catalogue {
  int64_t version = 1;
  std::string subject{}, id{}, time{}, reason{}, message{};
  Consistency verdict = Consistency::Unknown;
  std::vector<ClaimRecord> claims{};
  template <class V>
  void fields(V& v) {
    v.required("version", version, "version of the format");
    v.required("group", subject, "NAMESPACE/NAME");
    v.required("id", id, "id of the backup");
    v.required("time", time, "time of the cut");
    v.required("consistency", verdict, "consistency of the cut");
    v.optional("consistencyReason", reason, "reason of the verdict, in one word");
    v.optional("consistencyMessage", message, "explanation of the verdict");
    v.required("claims", claims, "claims as they were, with the snapshot of each");
  }
};

/// Content of a bucket, which anybody may have written: Invalid says what is wrong with it.
Result<Catalogue> parse_catalogue(std::string_view text);

/// Words of a driver's tags: "vg", "vga".
struct CatalogueTags {
  std::string_view subject, id;
  /// Of everything that belongs to one backup.
  std::vector<std::string> of(std::string_view subject_text, std::string_view id_text) const;
};

/// A backup that is known from the repository alone.
struct CatalogueWish {
  std::string subject{}, id{}, before{};  ///< id "": the newest; before "": whenever
};

/// The repositories that may hold it, in the order in which they are searched. A namespace alone
/// means what is backed up of it: by the subject's namespace, if that is another one, else and from
/// before by itself.
std::vector<std::string> repositories_with(const CatalogueWish& wish,
                                           const std::string& repository);

/// The DataMove that writes it, and the one that finds catalogues; without location.
DataMove catalogue_upload(const CatalogueTags& tags, const Catalogue& catalogue);
DataMove catalogue_search(const CatalogueTags& tags, const CatalogueWish& wish);

struct FoundCatalogue {
  std::optional<Catalogue> catalogue{};
  std::string snapshot_id{};  ///< that it stands in
  std::string trouble{};      ///< if there is none: of one that could not be read
};
/// The newest of those found that can be read and is the one meant.
FoundCatalogue choose_catalogue(const DataMove::Status& search, const CatalogueWish& wish);

}  // namespace holdfast::protect
