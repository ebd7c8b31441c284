/// The few operations on text that the standard library lacks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

/// Always at least one part; empty parts are kept.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Without ASCII white space at both ends.
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
/// Whether a comma-separated list switches a thing on, in the syntax of kube-controller-manager's
/// --controllers: `NAME`, `-NAME`, the first of them that is meant wins; otherwise `*` switches on.
bool switched_on(std::string_view list, std::initializer_list<std::string_view> names);
/// As Go's %q prints it: double quotes, Go's escapes.
std::string quoted(std::string_view text);
/// Text of others as a terminal may be given it. What would steer the terminal, or change what is
/// read there, is written out: "\x1b", "\u202e" (control characters, bytes that are no UTF-8,
/// marks that turn the direction of writing). Line breaks and tabs stay.
std::string harmless(std::string_view text);
/// The same on one line, for a cell of a table or a part of a sentence.
std::string harmless_line(std::string_view text);

}  // namespace holdfast
