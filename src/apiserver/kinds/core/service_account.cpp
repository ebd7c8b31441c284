/// ServiceAccount: references to secrets are names only.
#include "kinds/core/core.h"
#include "kinds/place.h"

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr std::string_view kMountable = "kubernetes.io/enforce-mountable-secrets";

/// A reference to a secret is its name and nothing else.
void clean_references(Value& account) {
  each_element(account, "secrets", [](Value& reference) {
    const std::string name(model::string_at(reference, {"name"}));
    reference = model::Object();
    if (!name.empty()) reference.get_object()["name"] = name;
  });
}

void warn(const Value& account, std::vector<std::string>& warnings) {
  if (model::find(account, {"metadata", "annotations", kMountable}) != nullptr)
    warnings.push_back("metadata.annotations[" + std::string(kMountable) +
                       "]: deprecated in v1.32+; prefer separate namespaces to isolate access to "
                       "mounted secrets");
}

}  // namespace

constinit const KindRules kServiceAccount = {
    .group = "",
    .kind = "ServiceAccount",
    .prepare_create = clean_references,
    .prepare_update = [](Value& account, const Value&) { clean_references(account); },
    .warn = warn,
};

}  // namespace holdfast::apiserver::core
