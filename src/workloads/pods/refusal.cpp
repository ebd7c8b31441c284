#include "pods/refusal.h"

namespace holdfast::workloads {

std::string refused_because(const control::Pass& pass) {
  const kube::Failure* failure = pass.refusal();
  if (failure == nullptr || failure->conflict() || failure->code == 0) return "";
  if (namespace_is_ending(pass)) return "";
  const std::string_view words = model::string_at(failure->status, {"message"});
  return words.empty() ? failure->error.what() : std::string(words);
}

bool namespace_is_ending(const control::Pass& pass) {
  const kube::Failure* failure = pass.refusal();
  if (failure == nullptr) return false;
  for (const model::Value& cause : model::array_at(failure->status, {"details", "causes"}))
    if (model::string_at(cause, {"reason"}) == "NamespaceTerminating") return true;
  return false;
}

}  // namespace holdfast::workloads
