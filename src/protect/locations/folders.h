/// Folders of a machine as locations: the namespaces that may name them, and the refusal of others.
#pragma once

#include <holdfast/control/refusal.h>
#include <holdfast/protect/controllers.h>

#include <string>

namespace holdfast::protect {

/// A mover reads and writes such a folder as root: who may not do that may not name it.
bool may_name_folders(const MoverSettings& settings, const std::string& ns);
control::Refusal folder_refusal(const std::string& location, const std::string& path,
                                const std::string& ns);

}  // namespace holdfast::protect
