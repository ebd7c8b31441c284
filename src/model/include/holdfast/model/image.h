/// Container image names, completed as the field completes them, and the two images that every
/// embedded node has: the machine itself, and our program alone.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::model {

struct ImageName {
  std::string registry, path, tag;  ///< the tag, or "sha256:…"
  bool digest = false;
};

/// Registry, path and tag are all there; of a tag and a digest the digest counts. Any text has
/// parts: whether they are a name is for who uses them.
ImageName image_name(std::string_view text);
/// Whether the field takes it for a name.
bool is_image_name(const ImageName& name);
/// "REGISTRY/library/etcd/latest": where a node that has images as folders has it. Of a name that
/// the field takes it leads nowhere else.
std::string folder_of(const ImageName& name);
/// "REGISTRY/library/etcd:latest"
std::string canonical_image(std::string_view text);
/// `host`, in whatever spelling: on the embedded node the machine's own root. Who judges a pod and
/// who runs it both ask here, so that no spelling means one thing to one of them.
bool is_host_image(std::string_view text);

/// On the embedded node: our program at kOwnProgram, what it loads, and nothing else of the
/// machine.
constexpr const char* kOwnImage = "localhost/holdfast";
constexpr const char* kOwnProgram = "/usr/bin/holdfast";
bool is_own_image(std::string_view text);

}  // namespace holdfast::model
