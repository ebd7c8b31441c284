#include "repo/change/backup_paths.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

#include "repo/settings.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

Result<std::string> content_of(const std::string& file) {
  return read_file(file == "-" ? "/dev/stdin" : file);
}

bool of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string with_variables(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t dollar = std::min(text.find('$'), text.size());
    out += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.empty()) break;
    text.remove_prefix(1);
    if (text.starts_with('$')) {
      out += '$';
      text.remove_prefix(1);
      continue;
    }
    const bool braces = text.starts_with('{') && text.find('}') != std::string_view::npos;
    size_t end = braces ? text.find('}') : 0;
    while (!braces && end < text.size() && of_name(text[end])) ++end;
    out += variable(std::string(text.substr(braces ? 1 : 0, end - (braces ? 1 : 0))).c_str());
    text.remove_prefix(braces ? end + 1 : end);
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> lines_of(const std::string& file) {
  const std::string text = HF_TRY(content_of(file));
  std::vector<std::string> out;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (!line.empty() && !line.starts_with('#')) out.emplace_back(line);
  }
  return out;
}

Result<std::vector<std::string>> patterns_of(const std::string& file) {
  std::vector<std::string> out = HF_TRY(lines_of(file));
  for (std::string& pattern : out) pattern = with_variables(pattern);
  return out;
}

Result<std::vector<std::string>> matching_of(const std::string& file) {
  std::vector<std::string> out;
  for (const std::string& pattern : HF_TRY(lines_of(file))) {
    std::vector<std::string> found = matching_paths(pattern);
    if (found.empty())
      return Error(Fault::Invalid, fmt::format("{} of {} fits nothing on disk", pattern, file));
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

Result<std::vector<std::string>> verbatim_of(const std::string& file) {
  const std::string text = HF_TRY(content_of(file));
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) out.emplace_back(line);
  return out;
}

Result<std::vector<std::string>> raw_of(const std::string& file) {
  const std::string text = HF_TRY(content_of(file));
  if (!text.empty() && text.back() != 0)
    return Error(Fault::Invalid, fmt::format("{}: no zero byte after the last path", file));
  std::vector<std::string> out;
  for (const std::string_view path : split(text, '\0'))
    if (!path.empty()) out.emplace_back(path);
  return out;
}

}  // namespace holdfast::cli
