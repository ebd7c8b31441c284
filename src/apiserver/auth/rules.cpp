#include "auth/rules.h"

#include <holdfast/base/text.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names strings(const model::Value& rule, std::string_view member) {
  Names out;
  for (const model::Value& each : model::array_at(rule, {member}))
    if (each.is_string()) out.emplace_back(model::view(each.get_string()));
  return out;
}

bool path_matches(const Names& patterns, std::string_view path) {
  for (const std::string& pattern : patterns) {
    if (pattern == "*" || pattern == path) return true;
    if (pattern.ends_with('*') &&
        path.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1)))
      return true;
  }
  return false;
}

bool resource_matches(const Names& resources, const std::string& combined,
                      const std::string& subresource) {
  for (const std::string& each : resources) {
    if (each == "*" || each == combined) return true;
    if (!subresource.empty() && each == "*/" + subresource) return true;
  }
  return false;
}

// One rule per verb, group, resource and name: small enough that one held rule either covers it or
// not.
std::vector<PolicyRule> break_down(const PolicyRule& rule) {
  std::vector<PolicyRule> parts;
  for (const std::string& verb : rule.verbs) {
    for (const std::string& path : rule.non_resource_urls)
      parts.push_back({{verb}, {}, {}, {}, {path}});
    for (const std::string& group : rule.api_groups)
      for (const std::string& resource : rule.resources) {
        if (rule.resource_names.empty()) parts.push_back({{verb}, {group}, {resource}, {}, {}});
        for (const std::string& name : rule.resource_names)
          parts.push_back({{verb}, {group}, {resource}, {name}, {}});
      }
  }
  return parts;
}

bool resource_covered(const Names& held, const std::string& wanted) {
  if (has(held, "*") || has(held, wanted)) return true;
  const size_t slash = wanted.find('/');
  return slash != std::string::npos && has(held, "*" + wanted.substr(slash));
}

bool covers(const PolicyRule& held, const PolicyRule& part) {
  if (!has(held.verbs, "*") && !has(held.verbs, part.verbs[0])) return false;
  if (!part.non_resource_urls.empty())
    return path_matches(held.non_resource_urls, part.non_resource_urls[0]);
  if (!has(held.api_groups, "*") && !has(held.api_groups, part.api_groups[0])) return false;
  if (!resource_covered(held.resources, part.resources[0])) return false;
  if (held.resource_names.empty()) return true;
  return !part.resource_names.empty() && has(held.resource_names, part.resource_names[0]);
}

void append_names(std::string& out, std::string_view label, const Names& names) {
  if (names.empty()) return;
  if (out.size() > 1) out += ", ";
  out += std::string(label) + ":[";
  for (size_t i = 0; i < names.size(); ++i) out += (i ? " " : "") + quoted(names[i]);
  out += ']';
}

}  // namespace

PolicyRule read_rule(const model::Value& rule) {
  return {strings(rule, "verbs"), strings(rule, "apiGroups"), strings(rule, "resources"),
          strings(rule, "resourceNames"), strings(rule, "nonResourceURLs")};
}

bool allows(const PolicyRule& rule, const Attributes& what) {
  if (!has(rule.verbs, "*") && !has(rule.verbs, what.verb)) return false;
  if (!what.is_resource()) return path_matches(rule.non_resource_urls, what.path);
  if (!has(rule.api_groups, "*") && !has(rule.api_groups, what.group)) return false;
  const std::string combined =
      what.subresource.empty() ? what.resource : what.resource + "/" + what.subresource;
  if (!resource_matches(rule.resources, combined, what.subresource)) return false;
  return rule.resource_names.empty() || has(rule.resource_names, what.name);
}

std::vector<PolicyRule> not_covered(const std::vector<PolicyRule>& held,
                                    const std::vector<PolicyRule>& wanted) {
  std::vector<PolicyRule> missing;
  for (const PolicyRule& rule : wanted)
    for (PolicyRule& part : break_down(rule))
      if (std::none_of(held.begin(), held.end(),
                       [&](const PolicyRule& each) { return covers(each, part); }))
        missing.push_back(std::move(part));
  return missing;
}

std::string compact_text(const PolicyRule& rule) {
  std::string out = "{";
  append_names(out, "APIGroups", rule.api_groups);
  append_names(out, "Resources", rule.resources);
  append_names(out, "NonResourceURLs", rule.non_resource_urls);
  append_names(out, "ResourceNames", rule.resource_names);
  append_names(out, "Verbs", rule.verbs);
  return out += '}';
}

}  // namespace holdfast::apiserver
