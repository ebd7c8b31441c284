/// Validation of spec.conversion. Webhooks are not called here; what is said of them must be right
/// anyway.
#include <holdfast/base/text.h>
#include <holdfast/model/names.h>

#include "crd/definition_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::apiserver {

using model::child;
using model::FieldErrors;
using model::Value;

namespace {

constexpr const char* kUrlForm = "; desired format: https://host[/path]";

void check_url(std::string_view url, const std::string& path, FieldErrors& errors) {
  const size_t colon = url.find("://");
  const std::string_view scheme = colon == url.npos ? std::string_view() : url.substr(0, colon);
  std::string_view rest = colon == url.npos ? url : url.substr(colon + 3);
  auto cut = [&rest](char mark) {
    const size_t found = rest.find(mark);
    if (found == rest.npos) return std::string_view();
    const std::string_view after = rest.substr(found + 1);
    rest = rest.substr(0, found);
    return after;
  };
  const std::string_view fragment = cut('#');
  const std::string_view query = cut('?');
  const std::string_view authority = colon == url.npos
                                         ? std::string_view()
                                         : rest.substr(0, std::min(rest.find('/'), rest.size()));
  const size_t user = authority.find('@');
  const std::string_view host = user == authority.npos ? authority : authority.substr(user + 1);
  auto complain = [&](std::string_view value, std::string detail) {
    errors.push_back(model::invalid_field(path, Value(value), std::move(detail)));
  };
  if (scheme != "https")
    complain(scheme, std::string("'https' is the only allowed URL scheme") + kUrlForm);
  if (host.empty()) complain(host, std::string("host must be specified") + kUrlForm);
  if (user != authority.npos)
    complain(authority.substr(0, user), "user information is not permitted in the URL");
  if (!fragment.empty()) complain(fragment, "fragments are not permitted in the URL");
  if (!query.empty()) complain(query, "query parameters are not permitted in the URL");
}

void check_url_path(std::string_view url_path, const std::string& path, FieldErrors& errors) {
  if (url_path.empty() || url_path == "/") return;
  auto complain = [&](std::string detail) {
    errors.push_back(model::invalid_field(path, Value(url_path), std::move(detail)));
  };
  if (url_path == "//") return complain("segment[0] may not be empty");
  if (!url_path.starts_with('/')) complain("must start with a '/'");
  std::string_view segments = url_path.substr(1);
  if (segments.ends_with('/')) segments.remove_suffix(1);
  const auto steps = split(segments, '/');
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].empty()) {
      complain(fmt::format("segment[{}] may not be empty", i));
      continue;
    }
    for (const std::string& complaint : model::check_dns1123_subdomain(steps[i]))
      complain(fmt::format("segment[{}]: {}", i, complaint));
  }
}

void check_service(const Value& service, const std::string& path, FieldErrors& errors) {
  for (const char* name : {"name", "namespace"})
    if (model::string_at(service, {name}).empty())
      errors.push_back(model::required_field(child(path, name), ""));
  const int64_t port = model::int_at(service, {"port"}, 443);
  if (const auto complaints = model::check_port_number(port); !complaints.empty())
    errors.push_back(model::invalid_field(child(path, "port"), port,
                                          "port is not valid: " + join(complaints, ", ")));
  check_url_path(model::string_at(service, {"path"}), child(path, "path"), errors);
}

void check_client(const Value* config, const std::string& path, FieldErrors& errors) {
  if (!config || !config->is_object()) {
    errors.push_back(model::required_field(path, "required when strategy is set to Webhook"));
    return;
  }
  const Value* url = model::find(*config, {"url"});
  const Value* service = model::find(*config, {"service"});
  if (!url == !service)
    errors.push_back(model::required_field(path, "exactly one of url or service is required"));
  else if (url)
    check_url(model::string_at(*config, {"url"}), child(path, "url"), errors);
  else
    check_service(*service, child(path, "service"), errors);
}

void check_review_versions(const Value& conversion, const std::string& path, FieldErrors& errors) {
  const model::Array& versions =
      model::array_at(conversion, {"webhook", "conversionReviewVersions"});
  if (versions.empty()) {
    errors.push_back(model::required_field(path, ""));
    return;
  }
  std::set<std::string, std::less<>> seen;
  for (size_t i = 0; i < versions.size(); ++i) {
    if (!versions[i].is_string()) continue;
    const std::string_view version = model::view(versions[i].get_string());
    if (!seen.emplace(version).second) {
      errors.push_back(model::invalid_field(model::at(path, i), versions[i], "duplicate version"));
      continue;
    }
    for (const std::string& complaint : model::check_dns1035_label(version))
      errors.push_back(model::invalid_field(model::at(path, i), versions[i], complaint));
  }
  if (!seen.contains("v1") && !seen.contains("v1beta1"))
    errors.push_back(
        model::invalid_field(path, Value(versions), "must include at least one of v1, v1beta1"));
}

}  // namespace

void check_conversion(const Value& definition, FieldErrors& errors) {
  const Value* conversion = model::find(definition, {"spec", "conversion"});
  if (!conversion || !conversion->is_object()) return;
  const std::string path = "spec.conversion";
  const std::string client = child(path, "webhookClientConfig");
  const std::string reviews = child(path, "conversionReviewVersions");
  const std::string_view strategy = model::string_at(*conversion, {"strategy"});
  const Value* config = model::find(*conversion, {"webhook", "clientConfig"});
  if (strategy.empty())
    errors.push_back(model::required_field(child(path, "strategy"), ""));
  else if (strategy != "None" && strategy != "Webhook")
    errors.push_back(
        model::unsupported_field(child(path, "strategy"), Value(strategy), {"None", "Webhook"}));
  if (strategy == "Webhook") {
    check_client(config, client, errors);
    check_review_versions(*conversion, reviews, errors);
    return;
  }
  const char* detail = "should not be set when strategy is not set to Webhook";
  if (config) errors.push_back(model::forbidden_field(client, detail));
  if (!model::array_at(*conversion, {"webhook", "conversionReviewVersions"}).empty())
    errors.push_back(model::forbidden_field(reviews, detail));
}

}  // namespace holdfast::apiserver
