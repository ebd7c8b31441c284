#include "groupcut/kinds.h"

namespace holdfast::drivers::volumegroup {

Result<std::optional<GroupKinds>> ServedGroupKinds::ask() {
  std::optional<GroupKinds> found = HF_TRY(kube::served_group_kinds(client_));
  const Lock lock(mutex_);
  last_ = found;
  return found;
}

Result<std::optional<GroupKinds>> ServedGroupKinds::known() {
  {
    const Lock lock(mutex_);
    if (last_) return last_;
  }
  return ask();
}

}  // namespace holdfast::drivers::volumegroup
