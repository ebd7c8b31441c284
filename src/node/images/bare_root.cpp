#include "images/bare_root.h"

#include <holdfast/base/files.h>

#include "shim/descriptors.h"

#include <sys/stat.h>

#include <cerrno>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

struct Folder {
  const char* path;
  mode_t mode = 0755;
};
constexpr Folder kFolders[] = {{"."},    {"dev"},        {"etc"}, {"lib"},           {"lib64"},
                               {"proc"}, {"root"},       {"run"}, {"usr"},           {"usr/bin"},
                               {"sys"},  {"tmp", 01777}, {"var"}, {"var/tmp", 01777}};

struct Text {
  const char *path, *text;
};
constexpr Text kTexts[] = {{"etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\n"},
                           {"etc/group", "root:x:0:\n"},
                           {"etc/nsswitch.conf", "hosts: files dns\n"}};

}  // namespace

Result<void> make_bare_root(const fs::path& root) {
  for (const Folder& each : kFolders) {
    const fs::path folder = root / each.path;
    HF_TRY(make_folder(folder, each.mode));
    // Our umask may be stricter than what an image has.
    if (::chmod(folder.c_str(), each.mode) != 0)
      return system_error("set the mode of " + folder.string(), errno);
  }
  for (const Text& each : kTexts) {
    const Result<std::string> there = read_file(root / each.path);
    if (!there || *there != each.text) HF_TRY(write_file(root / each.path, each.text, 0644));
  }
  return {};
}

}  // namespace holdfast::node
