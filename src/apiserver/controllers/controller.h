/// The controllers that an API server needs to be one (garbage collection, namespaces, service
/// accounts, …), under kube-controller-manager's names. They are passive: fed with changes, stepped
/// by whoever owns the loop.
#pragma once

#include "rest/api.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver {

class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::string_view name() const = 0;
  /// Called under the store's lock for every change: remember, nothing more.
  virtual void note(const Change& change) = 0;
  /// Looks at what is there when the server starts.
  virtual void start(Api& api) = 0;
  /// Does one piece of work; false if there is none now.
  virtual bool step(Api& api) = 0;
};

/// kube-controller-manager's syntax: `*`, `name`, `-name`; first match wins per name, `*` switches
/// on all not named. Unknown names are an error that lists the known ones.
Result<std::vector<std::string>> choose_controllers(std::string_view list);
/// One of each chosen name. `root_ca` is what the root CA publisher publishes.
std::vector<std::unique_ptr<Controller>> make_controllers(const std::vector<std::string>& names,
                                                          const std::string& root_ca);

}  // namespace holdfast::apiserver
