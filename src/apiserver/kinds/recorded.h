/// For tests: what was recorded from a real API server, one JSON value per line.
#pragma once

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>
#include <holdfast/model/json.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver {

/// `path` below src/apiserver: "kinds/testdata/recorded.jsonl". Nothing if the file is not there.
inline std::vector<model::Value> recorded(const std::string& path) {
  const char* source = std::getenv("HOLDFAST_SOURCE_DIR");
  const std::filesystem::path folder =
      source == nullptr ? std::filesystem::path(__FILE__).parent_path().parent_path()
                        : std::filesystem::path(source) / "src/apiserver";
  std::vector<model::Value> lines;
  const Result<std::string> text = read_file(folder / path);
  if (!text) return lines;
  for (const std::string_view line : split(*text, '\n'))
    if (!line.empty()) lines.push_back(model::parse_json(line)->value);
  return lines;
}

/// A member of a recorded value that is a list of strings.
inline std::vector<std::string> recorded_strings(const model::Value& line, std::string_view name) {
  std::vector<std::string> out;
  for (const model::Value& text : model::array_at(line, {name}))
    out.emplace_back(model::string_at(text, {}));
  return out;
}

}  // namespace holdfast::apiserver
