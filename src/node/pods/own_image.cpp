#include "pods/own_image.h"

#include <holdfast/model/image.h>

#include <link.h>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

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

std::vector<MountSpec> OwnImage::files() const {
  std::vector<MountSpec> out{read_only(program_, model::kOwnProgram)};
  for (const std::string& library : libraries_) out.push_back(read_only(library, library));
  std::error_code none;
  for (const char* path : kRead)
    if (fs::is_regular_file(path, none)) out.push_back(read_only(path, path));
  return out;
}

}  // namespace holdfast::node
