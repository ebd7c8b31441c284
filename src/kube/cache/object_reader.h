/// Reader of an object's text, in a list or a watch line, into the form that the cache keeps.
#pragma once

#include <holdfast/kube/cached.h>

#include "cache/record.h"
#include "cache/scanner.h"

#include <string>

namespace holdfast::kube {

/// Leaves out metadata.managedFields. Adds apiVersion and kind where they are missing: the items of
/// a list carry none.
class ObjectReader {
 public:
  ObjectReader() = default;  ///< adds nothing
  ObjectReader(std::string_view api_version, std::string_view kind);

  /// The object at the cursor, which moves behind it. Invalid if it is no JSON object with
  /// metadata.name; the cursor is then of no more use.
  Result<Cached> read(Scanner& scan) const;

 private:
  struct Span {
    size_t from = 0, to = 0;
    size_t size() const { return to - from; }
  };
  /// Positions in the scanned text.
  struct Found {
    Span object{}, metadata{}, managed_fields{};
    Span name{}, ns{}, uid{}, version{};
    bool has_api_version = false, has_kind = false, being_deleted = false;
    bool unusual = false;  ///< escapes or repeats where we look: to be printed anew
  };
  static bool find(Scanner& scan, Found& found);
  static bool find_in_metadata(Scanner& scan, Found& found);
  static bool note_string(Scanner& scan, Span& span, Found& found);
  Result<Cached> make(const Scanner& scan, const Found& found) const;
  Result<Cached> read_plain(std::string_view text) const;
  std::string missing(const Found& found) const;

  std::string api_version_, kind_;  ///< as members: `"kind":"Pod",`
};

}  // namespace holdfast::kube
