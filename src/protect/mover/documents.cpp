#include "mover/documents.h"

#include <holdfast/repo/tree.h>

#include "documents/document.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

/// The root of a snapshot of one file has one entry.
constexpr uint64_t kMostRoot = uint64_t{1} << 20;

/// What the index says that a blob has, sealed and plain: the larger of the two.
Result<uint64_t> size_of(const repo::Indexed& index, repo::BlobType type, const repo::Id& id) {
  const std::optional<repo::Location> where = index.find(type, id);
  if (!where) return Error(Fault::Corrupt, fmt::format("blob {}: in no index", id.hex()));
  return uint64_t{std::max(where->length, where->plain_length)};
}

Result<repo::Node> find_file(repo::Indexed& index, const repo::Snapshot& snapshot,
                             std::string_view name) {
  const uint64_t size = HF_TRY(size_of(index, repo::BlobType::Tree, snapshot.tree));
  if (size > kMostRoot)
    return Error(Fault::Invalid, fmt::format("its root has {} bytes: no document's has", size));
  const std::string json = HF_TRY(index.read(repo::BlobType::Tree, snapshot.tree));
  std::vector<repo::Node> nodes = HF_TRY(repo::parse_tree(json));
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [name](const repo::Node& node) { return node.name == name; });
  if (found == nodes.end() || found->type != repo::NodeType::File || !found->content)
    return Error(Fault::NotFound, fmt::format("there is no file /{} in it", name));
  return std::move(*found);
}

Error too_large() {
  return {Fault::Invalid, fmt::format("the document is larger than {} bytes", kMostDocument)};
}

Result<std::string> read_file(repo::Indexed& index, const repo::Node& file) {
  if (file.size > kMostDocument) return too_large();
  uint64_t total = 0;
  for (const repo::Id& id : *file.content) {
    total += HF_TRY(size_of(index, repo::BlobType::Data, id));
    // What does not shrink is a little larger sealed than plain.
    if (total > 2 * kMostDocument) return too_large();
  }
  std::string text;
  for (const repo::Id& id : *file.content) text += HF_TRY(index.read(repo::BlobType::Data, id));
  if (text.size() != file.size)
    return Error(Fault::Corrupt,
                 fmt::format("the document has {} bytes instead of {}", text.size(), file.size));
  if (!is_document_text(text)) return Error(Fault::Invalid, "the document is not text");
  return text;
}

}  // namespace

Result<std::string> read_document(repo::Indexed& index, const repo::Snapshot& snapshot,
                                  std::string_view name) {
  const auto context = [&snapshot](Error error) {
    return std::move(error).with_context(fmt::format("snapshot {}", snapshot.id.hex()));
  };
  const Result<repo::Node> file = find_file(index, snapshot, name);
  if (!file) return context(file.error().copy());
  Result<std::string> text = read_file(index, *file);
  if (!text) return context(text.take_error());
  return text;
}

}  // namespace holdfast::protect
