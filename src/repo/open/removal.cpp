#include "open/removal.h"

#include <holdfast/base/text.h>

#include "open/opened.h"

#include <fmt/format.h>

namespace holdfast::repo {

Result<void> may_remove(const Opened& repository, FileType type) {
  if (!repository.config().append_only || type == FileType::Key || type == FileType::Lock)
    return ok();
  return Error(Fault::Invalid, "the repository is append-only: nothing may be removed from it")
      .with_hint("rustic config --set-append-only=false changes that");
}

Result<void> remove_all(Opened& repository, FileType type, const std::vector<Id>& ids) {
  HF_TRY(may_remove(repository, type));
  std::vector<std::string> names;
  names.reserve(ids.size());
  for (const Id& id : ids) names.push_back(place_of(type, id));
  Result<std::vector<std::string>> stayed = repository.store().remove_all(names);
  const std::string what = fmt::format("remove from {}", folder_of(type));
  if (!stayed) return stayed.take_error().with_context(what);
  if (stayed->empty()) return ok();
  return Error(Fault::Unavailable, fmt::format("{}: {} of {} could not be removed: {}", what,
                                               stayed->size(), ids.size(), join(*stayed, ", ")));
}

}  // namespace holdfast::repo
