/// Ingress and IngressClass.
#include <holdfast/base/text.h>

#include "kinds/addresses.h"
#include "kinds/network/network.h"

#include <fmt/format.h>

namespace holdfast::apiserver::network {

using model::Value;

namespace {

constexpr std::string_view kClassAnnotation = "kubernetes.io/ingress.class";
constexpr int64_t kMaxController = 250;
constexpr std::string_view kPathCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-._~%!$&'()*+,;=:";
constexpr std::string_view kWildcard =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric "
    "character (e.g. '*.example.com', regex used for validation is "
    "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

void check_host(const Place& host) {
  if (host.text().find('*') == std::string_view::npos) return host.dns_subdomain();
  if (!host.text().starts_with("*.") ||
      !model::check_dns1123_subdomain(host.text().substr(2)).empty())
    host.invalid(std::string(kWildcard));
}

void check_path_segment(const Place& name) {
  if (name.need()) name.accept(model::check_path_segment(name.text()));
}

void check_reference(const Place& reference) {
  if (reference["apiGroup"].present()) reference["apiGroup"].dns_subdomain();
  check_path_segment(reference["kind"]);
  check_path_segment(reference["name"]);
}

void check_service(const Place& backend) {
  const Place service = backend["service"];
  if (service["name"].need())
    service["name"].accept(model::check_dns1035_label(service["name"].text()));
  const Place name = service["port"]["name"];
  const Place number = service["port"]["number"];
  if (!name.empty() && !number.empty())
    backend.invalid(Value(""), "cannot set both port name & port number");
  else if (!name.empty())
    name.accept(model::check_port_name(name.text()));
  else if (!number.empty())
    number.accept(model::check_port_number(number.number()));
  else
    backend.required("port name or number is required");
}

void check_backend(const Place& backend) {
  const bool resource = backend["resource"].present();
  const bool service = backend["service"].present();
  if (resource && service)
    backend.invalid(Value(""), "cannot set both resource and service backends");
  else if (resource)
    check_reference(backend["resource"]);
  else if (service)
    check_service(backend);
  else
    backend.invalid(Value(""), "resource or service backend is required");
}

void check_exact_path(const Place& path) {
  if (!path.text().starts_with('/')) path.invalid(Value(path.text()), "must be an absolute path");
  for (std::string_view part : {"//", "/./", "/../", "%2f", "%2F"})
    if (path.text().find(part) != std::string_view::npos)
      path.invalid(fmt::format("must not contain '{}'", part));
  for (std::string_view end : {"/..", "/."})
    if (path.text().ends_with(end)) path.invalid(fmt::format("cannot end with '{}'", end));
}

void check_http_path(const Place& rule) {
  const Place type = rule["pathType"];
  if (!type.present()) return type.required("pathType must be specified");
  if (type.text() == "Exact" || type.text() == "Prefix") {
    check_exact_path(rule["path"]);
  } else if (type.text() == "ImplementationSpecific") {
    if (!rule["path"].empty() && !rule["path"].text().starts_with('/'))
      rule["path"].invalid("must be an absolute path");
  } else {
    type.unsupported({"Exact", "ImplementationSpecific", "Prefix"});
  }
  check_backend(rule["backend"]);
}

void check_rule(const Place& rule) {
  const Place host = rule["host"];
  if (!host.empty()) {
    if (parse_ip(host.text())) host.invalid("must be a DNS name, not an IP address");
    check_host(host);
  }
  if (!rule["http"].present()) return;
  rule["http"]["paths"].need();
  rule["http"]["paths"].each(check_http_path);
}

void check_spec(const Place& spec) {
  if (spec["rules"].empty() && !spec["defaultBackend"].present())
    spec.invalid(spec["rules"].value(), "either `defaultBackend` or `rules` must be specified");
  if (spec["defaultBackend"].present()) check_backend(spec["defaultBackend"]);
  spec["rules"].each(check_rule);
  spec["tls"].each([](const Place& tls) {
    tls["hosts"].each(check_host);
    if (!tls["secretName"].empty()) tls["secretName"].dns_subdomain();
  });
  if (spec["ingressClassName"].present()) spec["ingressClassName"].dns_subdomain();
}

void validate(const Value& object, model::FieldErrors& errors) {
  const Place ingress(object, errors);
  check_spec(ingress["spec"]);
  const Place noted = ingress["metadata"]["annotations"][kClassAnnotation].as(
      fmt::format("annotations.{}", kClassAnnotation));
  const Place name = ingress["spec"]["ingressClassName"];
  if (noted.present() && name.present() && noted.text() != name.text())
    noted.invalid("must match `ingressClassName` when both are specified");
}

void validate_update(const Value& ingress, const Value&, model::FieldErrors& errors) {
  check_spec(Place(ingress, errors)["spec"]);
}

void validate_status(const Value& ingress, const Value& old, model::FieldErrors& errors) {
  model::Array before;
  for (const Value& each : model::array_at(old, {"status", "loadBalancer", "ingress"}))
    before.emplace_back(model::string_at(each, {"ip"}));
  Place(ingress, errors)["status"]["loadBalancer"]["ingress"].each([&](const Place& point) {
    if (!point["ip"].empty()) check_ip(point["ip"], before);
    const Place host = point["hostname"];
    if (host.empty()) return;
    host.dns_subdomain();
    if (parse_ip(host.text())) host.invalid("must be a DNS name, not an IP address");
  });
}

void warn(const Value& ingress, std::vector<std::string>& warnings) {
  if (model::find(ingress, {"metadata", "annotations", kClassAnnotation}) != nullptr &&
      model::find(ingress, {"spec", "ingressClassName"}) == nullptr)
    warnings.push_back(
        fmt::format("annotation {} is deprecated, please use 'spec.ingressClassName' instead",
                    quoted(kClassAnnotation)));
}

void default_class(Value& object) {
  if (Value* parameters = model::find(object, {"spec", "parameters"}))
    default_member(*parameters, "scope", "Cluster");
}

void check_controller(const Place& controller) {
  const std::string_view text = controller.text();
  if (text.size() > size_t{kMaxController}) controller.too_long(kMaxController);
  if (text.empty()) return controller.required();
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size())
    return controller.invalid("must be a domain-prefixed path (such as \"acme.io/foo\")");
  for (std::string& complaint : model::check_dns1123_subdomain(text.substr(0, slash)))
    controller.invalid(Value(text.substr(0, slash)), std::move(complaint));
  const std::string_view path = text.substr(slash + 1);
  if (path.find_first_not_of(kPathCharacters) != std::string_view::npos)
    controller.invalid(Value(path),
                       "Invalid path (regex used for validation is "
                       "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
}

void check_parameters(const Place& parameters) {
  if (!parameters.present()) return;
  check_reference(parameters);
  const Place scope = parameters["scope"];
  const Place ns = parameters["namespace"];
  scope.need_one_of({"Cluster", "Namespace"});
  if (scope.text() == "Namespace") {
    if (ns.present())
      ns.dns_label();
    else
      ns.required("`parameters.scope` is set to 'Namespace'");
  } else if (scope.text() == "Cluster" && ns.present()) {
    ns.forbidden("`parameters.scope` is set to 'Cluster'");
  }
}

void validate_class(const Value& object, model::FieldErrors& errors) {
  const Place spec = Place(object, errors)["spec"];
  check_controller(spec["controller"]);
  check_parameters(spec["parameters"]);
}

void validate_class_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Value* before = model::find(old, {"spec", "controller"});
  immutable(Place(object, errors)["spec"]["controller"], before == nullptr ? Value() : *before);
  validate_class(object, errors);
}

}  // namespace

constinit const KindRules kIngress = {
    .group = "networking.k8s.io",
    .kind = "Ingress",
    .prepare_create =
        [](Value& ingress) {
          ingress.get_object()["status"] = model::Object{{"loadBalancer", model::Object()}};
        },
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
    .warn = warn,
};

constinit const KindRules kIngressClass = {
    .group = "networking.k8s.io",
    .kind = "IngressClass",
    .set_defaults = default_class,
    .validate = validate_class,
    .validate_update = validate_class_update,
};

}  // namespace holdfast::apiserver::network
