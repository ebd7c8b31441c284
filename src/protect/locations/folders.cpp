#include "locations/folders.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {

bool may_name_folders(const MoverSettings& settings, const std::string& ns) {
  return std::any_of(settings.file_namespaces.begin(), settings.file_namespaces.end(),
                     [&ns](const std::string& each) { return each == "*" || each == ns; });
}

control::Refusal folder_refusal(const std::string& location, const std::string& path,
                                const std::string& ns) {
  return {"FileLocationNotAllowed",
          fmt::format("location {} is the folder {} of the machine, which namespace {} may not "
                      "name: use a bucket, or a namespace of administrators",
                      location, path, ns)};
}

}  // namespace holdfast::protect
