/// Lookup of kubeconfigs, apart from their parsing: the environment and files of the process are
/// arguments.
#pragma once

#include <holdfast/kube/config.h>

#include <functional>

namespace holdfast::kube {

struct Surroundings {
  std::function<std::string(const char* name)> variable{};  ///< of the environment; "" = not set
  std::filesystem::path account_folder{};  ///< what a pod's own account is put into
};

Result<Config> load_config(const ConfigChoice& choice, const Surroundings& around);

}  // namespace holdfast::kube
