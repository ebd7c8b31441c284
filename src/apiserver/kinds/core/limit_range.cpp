/// LimitRange: what a namespace's containers, pods and claims may ask for, and get if they do not
/// ask.
#include "kinds/core/core.h"
#include "kinds/core/resources.h"
#include "kinds/pod/amounts.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::apiserver::core {

using model::Quantity;
using model::Value;

namespace {

constexpr int64_t kMaxMilliValue = INT64_MAX / 1000;

/// What `to` does not say, it takes from `from`.
void fill(Value& limit, std::string_view to, std::string_view from) {
  const model::Object given = model::object_at(limit, {from});
  if (given.empty()) return;
  Value& target = object_member(limit, to);
  for (const auto& amount : given) target.get_object().emplace(amount.key(), amount.value());
  sort_members(target);
}

void set_defaults(Value& range) {
  each_element(object_member(range, "spec"), "limits", [](Value& limit) {
    if (model::string_at(limit, {"type"}) != "Container") return;
    fill(limit, "default", "max");
    fill(limit, "defaultRequest", "default");
    fill(limit, "defaultRequest", "min");
  });
}

/// A range may come without any name; the real server draws a UUID then, and so the object's own
/// does.
void prepare_create(Value& range) {
  if (model::string_at(range, {"metadata", "name"}).empty())
    default_member(object_member(range, "metadata"), "name",
                   Value(model::string_at(range, {"metadata", "uid"})));
}

void check_type(const Place& type) {
  const model::Complaints complaints = model::check_qualified_name(type.text());
  type.accept(complaints);
  if (complaints.empty() && type.text().find('/') == std::string_view::npos &&
      type.text() != "Pod" && type.text() != "Container" && type.text() != "PersistentVolumeClaim")
    type.invalid("must be a standard limit type or fully qualified");
}

/// One resource of one limit, in all the lists that name it.
struct Bounds {
  Place limit;
  std::string name;
  Place at(std::string_view list) const { return limit[list].entry(name); }
  std::optional<Quantity> get(std::string_view list) const { return quantity_of(at(list)); }
};

void check_order(const Bounds& bounds, std::string_view low, std::string_view high,
                 const Place& where, std::string_view shown, std::string_view sentence) {
  const auto least = bounds.get(low);
  const auto most = bounds.get(high);
  if (least && most && *least > *most)
    where.invalid(Value(bounds.get(shown)->text()),
                  fmt::format(fmt::runtime(sentence), least->text(), most->text()));
}

void check_ratio(const Bounds& bounds) {
  const Place place = bounds.at("maxLimitRequestRatio");
  const auto ratio = bounds.get("maxLimitRequestRatio");
  if (!ratio) return;
  if (*ratio < *Quantity::parse("1"))
    place.invalid(fmt::format("ratio {} is less than 1", ratio->text()));
  const auto min = bounds.get("min");
  const auto max = bounds.get("max");
  if (!min || !max) return;
  double limit = static_cast<double>(max->value()) / static_cast<double>(min->value());
  double value = static_cast<double>(ratio->value());
  if (ratio->value() < kMaxMilliValue && min->value() < kMaxMilliValue &&
      max->value() < kMaxMilliValue) {
    value = static_cast<double>(ratio->milli_value()) / 1000;
    limit = static_cast<double>(max->milli_value()) / static_cast<double>(min->milli_value());
  }
  if (value > limit)
    place.invalid(fmt::format("ratio {} is greater than max/min = {:f}", ratio->text(), limit));
}

void check_bounds(const Bounds& bounds) {
  const Place request = bounds.at("defaultRequest");
  const Place limit = bounds.at("default");
  check_order(bounds, "min", "max", bounds.at("min"), "min",
              "min value {} is greater than max value {}");
  check_order(bounds, "min", "defaultRequest", request, "defaultRequest",
              "min value {} is greater than default request value {}");
  check_order(bounds, "defaultRequest", "max", request, "defaultRequest",
              "default request value {} is greater than max value {}");
  check_order(bounds, "defaultRequest", "default", request, "defaultRequest",
              "default request value {} is greater than default limit value {}");
  check_order(bounds, "min", "default", limit, "min",
              "min value {} is greater than default value {}");
  check_order(bounds, "default", "max", limit, "max",
              "default value {} is greater than max value {}");
  check_ratio(bounds);
  const auto given = bounds.get("default");
  const auto asked = bounds.get("defaultRequest");
  if (!pod::overcommit_allowed(bounds.name) && given && asked && *given != *asked)
    request.invalid(fmt::format("default value {} must equal to defaultRequest value {} in {}",
                                given->text(), asked->text(), bounds.name));
}

void check_limit(const Place& limit) {
  const std::string_view type = limit["type"].text();
  std::set<std::string, std::less<>> names;
  const auto check_names = [&](std::string_view list) {
    limit[list].each_entry([&](std::string_view name, const Place& entry) {
      if (type == "Pod" || type == "Container")
        check_container_resource_name(name, entry);
      else
        check_resource_name(name, entry);
      names.emplace(name);
    });
  };
  check_names("max");
  check_names("min");
  for (std::string_view list : {"default", "defaultRequest"}) {
    if (type != "Pod")
      check_names(list);
    else if (!limit[list].empty())
      limit[list].forbidden("may not be specified when `type` is 'Pod'");
  }
  if (type == "PersistentVolumeClaim" && !limit["min"]["storage"].present() &&
      !limit["max"]["storage"].present())
    limit["limits"].required(
        "either minimum or maximum storage value is required, but neither was provided");
  check_names("maxLimitRequestRatio");
  for (const std::string& name : names) check_bounds({limit, name});
}

void validate(const Value& range, model::FieldErrors& errors) {
  std::set<std::string_view> types;
  Place(range, errors)["spec"]["limits"].each([&](const Place& limit) {
    check_type(limit["type"]);
    if (!types.insert(limit["type"].text()).second) limit["type"].duplicate();
    check_limit(limit);
  });
}

}  // namespace

constinit const KindRules kLimitRange = {
    .group = "",
    .kind = "LimitRange",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .validate = validate,
};

}  // namespace holdfast::apiserver::core
