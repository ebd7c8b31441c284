#include "kinds/core/resources.h"

#include "kinds/pod/amounts.h"

#include <algorithm>

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr std::string_view kCounted[] = {"pods",
                                         "resourcequotas",
                                         "services",
                                         "replicationcontrollers",
                                         "secrets",
                                         "configmaps",
                                         "persistentvolumeclaims",
                                         "services.nodeports",
                                         "services.loadbalancers"};
constexpr std::string_view kMeasured[] = {
    "cpu",          "memory",          "ephemeral-storage",
    "requests.cpu", "requests.memory", "requests.ephemeral-storage",
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage",
    "storage",      "requests.storage"};

template <size_t N>
bool among(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool has_domain(std::string_view name) { return name.find('/') != std::string_view::npos; }

}  // namespace

bool check_resource_name(std::string_view name, const Place& entry) {
  const model::Complaints complaints = model::check_qualified_name(name);
  for (const std::string& complaint : complaints) entry.invalid(Value(name), complaint);
  if (!complaints.empty()) return false;
  if (has_domain(name) || among(kCounted, name) || among(kMeasured, name) ||
      pod::is_huge_page(name) || name.starts_with("requests.hugepages-"))
    return true;
  entry.invalid(Value(name), "must be a standard resource type or fully qualified");
  return false;
}

void check_container_resource_name(std::string_view name, const Place& entry) {
  check_resource_name(name, entry);
  if (has_domain(name)) {
    if (!pod::is_native(name) && !pod::is_extended(name))
      entry.invalid(Value(name), "doesn't follow extended resource name standard");
  } else if (name != "cpu" && name != "memory" && name != "ephemeral-storage" &&
             !pod::is_huge_page(name)) {
    entry.invalid(Value(name), "must be a standard resource for containers");
  }
}

void check_amount(std::string_view name, const Place& entry) {
  const auto amount = quantity_of(entry);
  if (!amount) return;
  if (amount->negative()) entry.invalid("must be greater than or equal to 0");
  if ((among(kCounted, name) || pod::is_extended(name)) && amount->milli_value() % 1000 != 0)
    entry.invalid("must be an integer");
}

std::optional<model::Quantity> quantity_of(const Place& place) {
  if (!place.present()) return std::nullopt;
  auto parsed = model::Quantity::parse(place.text());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

}  // namespace holdfast::apiserver::core
