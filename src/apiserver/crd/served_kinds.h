/// The kinds served right now: the built-in resources and those of the CustomResourceDefinitions in
/// the store.
///
/// A view of the store (on_change): a definition is served from the moment its write is decided.
/// Safe to use from many threads.
#pragma once

#include <holdfast/base/mutex.h>

#include "kinds/resource.h"
#include "store/store.h"

#include <map>
#include <memory>
#include <string>

namespace holdfast::apiserver {

class ServedKinds {
 public:
  ServedKinds(Store& store, const Clock& clock);
  std::shared_ptr<const Catalogue> catalogue() const;

  /// Writes what the server says of a definition into its status: accepted names, stored versions,
  /// conditions.
  void establish(model::Value& definition) const;

 private:
  void note(const Change& change);
  void rebuild() HF_REQUIRES(mutex_);

  struct Definition {
    Revision revision = 0;
    model::Value object;
    std::vector<ResourcePtr> versions;
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, Definition> definitions_ HF_GUARDED_BY(mutex_);  ///< by name
  std::vector<Catalogue::Group> builtin_;
  std::shared_ptr<const Catalogue> catalogue_ HF_GUARDED_BY(mutex_);
};

/// Kubernetes' version priority: GA before beta before alpha, higher numbers first, anything else
/// last by name.
bool version_before(std::string_view a, std::string_view b);

}  // namespace holdfast::apiserver
