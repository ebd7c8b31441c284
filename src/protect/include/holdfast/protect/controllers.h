/// The controllers of this room's kinds.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/model/image.h>
#include <holdfast/protect/outside.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::protect {

/// How mover pods are made.
struct MoverSettings {
  /// Objects here may act in other namespaces, with the operator's own rights.
  std::vector<std::string> admin_namespaces = {"holdfast-system"};
  /// Where locations may be folders of a machine; "*" where the server itself guards them.
  std::vector<std::string> file_namespaces = {"holdfast-system"};
  bool file_here = false;  ///< those folders are of the machine that this process runs on
  std::string image = model::kOwnImage;                     ///< has the binary
  std::vector<std::string> command = {model::kOwnProgram};  ///< in it

  bool is_admin(std::string_view ns) const {
    return std::find(admin_namespaces.begin(), admin_namespaces.end(), ns) !=
           admin_namespaces.end();
  }
};

/// `outside` is called when the controllers are made, not before.
std::vector<control::ControllerSpec> controllers(const MoverSettings& settings,
                                                 const std::function<Outside()>& outside);

}  // namespace holdfast::protect
