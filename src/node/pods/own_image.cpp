#include "pods/own_image.h"

#include <holdfast/base/files.h>
#include <holdfast/model/image.h>

#include <link.h>
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

// What libraries read by themselves, on machines that have it.
constexpr const char* kRead[] = {"/etc/ld.so.cache", "/etc/localtime", "/etc/resolv.conf",
                                 "/etc/ssl/certs/ca-certificates.crt"};

int take_path(dl_phdr_info* object, size_t, void* out) {
  const std::string_view name = object->dlpi_name;
  // The program itself has no name, and what the kernel gives every process no file.
  if (name.starts_with('/')) static_cast<std::vector<std::string>*>(out)->emplace_back(name);
  return 0;
}

MountSpec read_only(const fs::path& from, std::string to) {
  std::error_code none;
  const fs::path real = fs::canonical(from, none);
  return {.from = (none ? from : real).string(),
          .to = std::move(to),
          .read_only = true,
          .made_here = true,
          .ids = "Any"};
}

}  // namespace

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> out;
  dl_iterate_phdr(take_path, &out);
  return out;
}

Result<void> OwnImage::make_root() const {
  for (const Folder& each : kFolders) {
    const fs::path folder = root_ / each.path;
    HF_TRY(make_folder(folder, each.mode));
    // The node's umask may be stricter than what an image has.
    if (::chmod(folder.c_str(), each.mode) != 0)
      return system_error("set the mode of " + folder.string(), errno);
  }
  for (const Text& each : kTexts) {
    const Result<std::string> there = read_file(root_ / each.path);
    if (!there || *there != each.text) HF_TRY(write_file(root_ / each.path, each.text, 0644));
  }
  return {};
}

std::vector<MountSpec> OwnImage::files() const {
  std::vector<MountSpec> out{read_only(program_, model::kOwnProgram)};
  for (const std::string& library : libraries_) out.push_back(read_only(library, library));
  std::error_code none;
  for (const char* path : kRead)
    if (fs::is_regular_file(path, none)) out.push_back(read_only(path, path));
  return out;
}

}  // namespace holdfast::node
