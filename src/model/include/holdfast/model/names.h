/// The rules for names, label keys and values. Each check gives the sentences of
/// apimachinery/util/validation; empty = fine.
#pragma once

#include <holdfast/base/random.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

using Complaints = std::vector<std::string>;

Complaints check_dns1123_label(std::string_view value);
Complaints check_dns1123_subdomain(std::string_view value);
Complaints check_dns1035_label(std::string_view value);
Complaints check_qualified_name(std::string_view value);  ///< label and annotation keys, finalizers
Complaints check_label_value(std::string_view value);
Complaints check_path_segment(std::string_view value);  ///< RBAC names: no "/", "%", ".", ".."
Complaints check_env_var_name(std::string_view value);
Complaints check_config_map_key(std::string_view value);
Complaints check_port_name(std::string_view value);
Complaints check_port_number(int64_t value);
Complaints check_c_identifier(std::string_view value);

/// Base cut to 58 characters + 5 random ones of the alphabet without vowels and look-alikes.
std::string generate_name(std::string_view base, Random& random);

}  // namespace holdfast::model
