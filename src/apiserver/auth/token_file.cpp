#include "auth/token_file.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <vector>

namespace holdfast::apiserver {
namespace {

// One line of the token file: CSV with quotes, at least token,user,uid.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  for (std::string& field : fields) field = trim(field);
  return fields;
}

}  // namespace

Result<std::map<std::string, User>> read_token_file(std::string_view text) {
  std::map<std::string, User> users;
  size_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty()) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (fields.size() < 3 || fields[0].empty())
      return Error(
          Fault::Invalid,
          fmt::format("line {} of the token file: expected token,user,uid[,\"group1,group2\"]",
                      number));
    User user{fields[1], fields[2], {}, {}};
    if (fields.size() > 3)
      for (const std::string_view group : split(fields[3], ','))
        if (!group.empty()) user.groups.emplace_back(group);
    users[sha256(fields[0])] = std::move(user);
  }
  return users;
}

}  // namespace holdfast::apiserver
