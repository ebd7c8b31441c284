#include "engine-corrupt/overlay.h"

namespace holdfast::campaign {

const std::string* Overlay::find(const std::string& name) const {
  if (const auto changed = changed_.find(name); changed != changed_.end())
    return changed->second ? &*changed->second : nullptr;
  const auto found = whole_.find(name);
  return found == whole_.end() ? nullptr : &found->second;
}

Result<void> Overlay::read(const std::string& name, std::optional<blob::Range> range,
                           std::string& into) {
  const std::string* bytes = find(name);
  if (bytes == nullptr) return Error(Fault::NotFound, "GET " + name + ": not there");
  const blob::Range wanted = range.value_or(blob::Range{0, bytes->size()});
  if (wanted.offset + wanted.length > bytes->size())
    return Error(Fault::Corrupt, "GET " + name + ": it is too short");
  into.assign(*bytes, wanted.offset, wanted.length);
  return ok();
}

Result<blob::Info> Overlay::stat(const std::string& name) {
  const std::string* bytes = find(name);
  if (bytes == nullptr) return Error(Fault::NotFound, "HEAD " + name + ": not there");
  return blob::Info{name, bytes->size()};
}

Result<void> Overlay::list(const std::string& prefix,
                           const std::function<void(const blob::Info&)>& each) {
  for (const auto& [name, bytes] : whole_)
    if (name.starts_with(prefix) && !changed_.contains(name)) each({name, bytes.size()});
  for (const auto& [name, bytes] : changed_)
    if (name.starts_with(prefix) && bytes) each({name, bytes->size()});
  return ok();
}

}  // namespace holdfast::campaign
