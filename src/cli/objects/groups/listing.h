/// `holdfast group list`: the actions of a namespace, or what a location holds.
#pragma once

#include "objects/server.h"

#include <string>

namespace holdfast::cli {

struct GroupListOptions {
  ServerChoice server{};
  std::string group{}, location{}, output{};
  bool all_namespaces = false, no_headers = false;
  int64_t limit = 100;
};

Result<int> list_group_actions(const GroupListOptions& options);
/// By a data move that reads the catalogues; 3 if some cannot be read, or there are more.
Result<int> list_location(const GroupListOptions& options);

}  // namespace holdfast::cli
