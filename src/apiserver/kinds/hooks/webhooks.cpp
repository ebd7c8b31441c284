/// Validating and mutating webhooks.
#include <holdfast/base/text.h>

#include "kinds/hooks/hooks.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::apiserver::hooks {

using model::Value;

namespace {

constexpr int64_t kMaxConditions = 64;
constexpr std::string_view kUrlForm = "; desired format: https://host[/path]";

bool contains(const Place& list, std::string_view word) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](const Value& each) { return model::string_at(each, {}) == word; });
}

void default_hook(Value& hook) {
  default_member(hook, "failurePolicy", "Fail");
  default_match(hook);
  default_member(hook, "timeoutSeconds", 10);
  default_rules(hook, "rules");
  if (Value* service = model::find(hook, {"clientConfig", "service"}))
    default_member(*service, "port", 443);
}

void check_alone(const Place& list, std::string_view what) {
  if (list.items().size() > 1 && contains(list, "*"))
    list.invalid(fmt::format("if '*' is present, must not specify other {}", what));
}

void check_resources(const Place& resources) {
  resources.need();
  std::set<std::string_view> whole;
  std::set<std::string_view> everywhere;
  bool plain = false;
  resources.each([&](const Place& resource) {
    if (resource.empty()) return resource.required();
    const size_t slash = resource.text().find('/');
    if (slash == std::string_view::npos) {
      plain = resource.text() != "*";
      return;
    }
    const std::string_view name = resource.text().substr(0, slash);
    const std::string_view sub = resource.text().substr(slash + 1);
    if (whole.contains(name))
      resource.invalid(
          fmt::format("if '{}/*' is present, must not specify {}", name, resource.text()));
    if (everywhere.contains(sub))
      resource.invalid(
          fmt::format("if '*/{}' is present, must not specify {}", sub, resource.text()));
    if (sub == "*") whole.insert(name);
    if (name == "*") everywhere.insert(sub);
  });
  if (resources.items().size() > 1 && contains(resources, "*/*"))
    resources.invalid("if '*/*' is present, must not specify other resources");
  if (contains(resources, "*") && plain)
    resources.invalid("if '*' is present, must not specify other resources without subresources");
}

void check_name(const Place& name) {
  if (!name.need()) return;
  const model::Complaints complaints = model::check_dns1123_subdomain(name.text());
  if (!complaints.empty())
    name.invalid(join(complaints, ","));
  else if (split(name.text(), '.').size() < 3)
    name.invalid("should be a domain with at least three segments separated by dots");
}

void check_url(const Place& url) {
  const std::string_view text = url.text();
  const size_t colon = text.find("://");
  const std::string_view scheme =
      colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
  if (scheme != "https")
    url.invalid(Value(scheme), fmt::format("'https' is the only allowed URL scheme{}", kUrlForm));
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 3);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  std::string_view user;
  if (const size_t at = host.rfind('@'); at != std::string_view::npos) {
    user = host.substr(0, at);
    host = host.substr(at + 1);
  }
  if (host.empty()) url.invalid(Value(""), fmt::format("host must be specified{}", kUrlForm));
  if (!user.empty()) url.invalid(Value(user), "user information is not permitted in the URL");
  const size_t hash = text.find('#');
  if (hash != std::string_view::npos && hash + 1 < text.size())
    url.invalid(Value(text.substr(hash + 1)), "fragments are not permitted in the URL");
  const std::string_view before = text.substr(0, hash);
  const size_t query = before.find('?');
  if (query != std::string_view::npos && query + 1 < before.size())
    url.invalid(Value(before.substr(query + 1)), "query parameters are not permitted in the URL");
}

void check_path(const Place& path) {
  std::string_view text = path.text();
  if (text.empty() || text == "/") return;
  if (text == "//") return path.invalid("segment[0] may not be empty");
  if (!text.starts_with('/')) path.invalid("must start with a '/'");
  text.remove_prefix(1);
  if (text.ends_with('/')) text.remove_suffix(1);
  const auto steps = split(text, '/');
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].empty()) {
      path.invalid(fmt::format("segment[{}] may not be empty", i));
      continue;
    }
    for (const std::string& complaint : model::check_dns1123_subdomain(steps[i]))
      path.invalid(fmt::format("segment[{}]: {}", i, complaint));
  }
}

/// The real server takes the name for the namespace and the other way round in what it says.
void check_client(const Place& client) {
  const Place url = client["url"];
  const Place service = client["service"];
  if (url.present() == service.present())
    return client.required("exactly one of url or service is required");
  if (url.present()) return check_url(url);
  if (service["namespace"].empty()) service["name"].required();
  if (service["name"].empty()) service["namespace"].required();
  const model::Complaints complaints = model::check_port_number(service["port"].number());
  if (!complaints.empty()) service["port"].invalid("port is not valid: " + join(complaints, ", "));
  if (service["path"].present()) check_path(service["path"]);
}

void check_versions(const Place& versions) {
  if (!versions.need("must specify one of v1, v1beta1")) return;
  std::set<std::string_view> seen;
  versions.each([&](const Place& version) {
    if (!seen.insert(version.text()).second) return version.invalid("duplicate version");
    version.accept(model::check_dns1035_label(version.text()));
  });
  if (!seen.contains("v1") && !seen.contains("v1beta1"))
    versions.invalid("must include at least one of v1, v1beta1");
}

void check_hook(const Place& hook) {
  check_name(hook["name"]);
  hook["rules"].each(check_rule);
  hook["failurePolicy"].one_of_if_present({"Fail", "Ignore"});
  hook["matchPolicy"].one_of_if_present({"Equivalent", "Exact"});
  if (hook["sideEffects"].present())
    hook["sideEffects"].one_of({"None", "NoneOnDryRun"});
  else
    hook["sideEffects"].required("must specify one of None, NoneOnDryRun");
  const Place timeout = hook["timeoutSeconds"];
  if (timeout.present() && (timeout.number() > 30 || timeout.number() < 1))
    timeout.invalid("the timeout value must be between 1 and 30 seconds");
  check_label_selector(hook["namespaceSelector"]);
  check_label_selector(hook["objectSelector"]);
  hook["reinvocationPolicy"].one_of_if_present({"IfNeeded", "Never"});
  check_client(hook["clientConfig"]);
  check_match_conditions(hook["matchConditions"]);
  check_versions(hook["admissionReviewVersions"]);
}

void validate(const Value& configuration, model::FieldErrors& errors) {
  std::set<std::string_view> names;
  Place(configuration, errors)["webhooks"].each([&](const Place& hook) {
    check_hook(hook);
    if (!hook["name"].empty() && !names.insert(hook["name"].text()).second)
      hook["name"].duplicate();
  });
}

}  // namespace

void default_match(Value& holder) {
  default_member(holder, "matchPolicy", "Equivalent");
  object_member(holder, "namespaceSelector");
  object_member(holder, "objectSelector");
}

void default_rules(Value& holder, std::string_view list) {
  each_element(holder, list, [](Value& rule) { default_member(rule, "scope", "*"); });
}

void check_rule(const Place& rule) {
  const Place operations = rule["operations"];
  operations.need();
  check_alone(operations, "operations");
  operations.each([](const Place& each) {
    each.one_of({"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
  });
  rule["apiGroups"].need();
  check_alone(rule["apiGroups"], "API groups");
  rule["apiVersions"].need();
  check_alone(rule["apiVersions"], "API versions");
  rule["apiVersions"].each([](const Place& version) { version.need(); });
  check_resources(rule["resources"]);
  rule["scope"].one_of_if_present({"*", "Cluster", "Namespaced"});
}

void check_match_conditions(const Place& conditions) {
  if (conditions.items().size() > size_t{kMaxConditions})
    conditions.too_many(static_cast<int64_t>(conditions.items().size()), kMaxConditions);
  std::set<std::string_view> names;
  conditions.each([&](const Place& condition) {
    if (trim(condition["expression"].text()).empty()) condition["expression"].required();
    if (!condition["name"].need()) return;
    condition["name"].qualified_name();
    if (!names.insert(condition["name"].text()).second) condition["name"].duplicate();
  });
}

constinit const KindRules kValidatingWebhooks = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingWebhookConfiguration",
    .set_defaults = [](Value& object) { each_element(object, "webhooks", default_hook); },
    .validate = validate,
};

constinit const KindRules kMutatingWebhooks = {
    .group = "admissionregistration.k8s.io",
    .kind = "MutatingWebhookConfiguration",
    .set_defaults =
        [](Value& object) {
          each_element(object, "webhooks", [](Value& hook) {
            default_hook(hook);
            default_member(hook, "reinvocationPolicy", "Never");
          });
        },
    .validate = validate,
};

}  // namespace holdfast::apiserver::hooks
