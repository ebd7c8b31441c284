#include "mover/documents.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/log.h>
#include <holdfast/model/time.h>
#include <holdfast/repo/tree.h>

#include "documents/document.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

constexpr size_t kLongestError = 500;
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

/// The newest first.
Result<std::vector<repo::Snapshot>> snapshots_of(repo::Opened& repository, const MoveTask& task) {
  std::vector<repo::Snapshot> found;
  if (!task.find) {
    found.push_back(HF_TRY(repo::find_snapshot(repository, task.snapshot, {})));
    return found;
  }
  repo::SnapshotFilter filter;
  if (!task.find->tags.empty()) filter.tags = {task.find->tags};
  found =
      HF_TRY(repo::list_snapshots(repository, filter, [](const repo::Id& id, const Error& error) {
        log::warn(fmt::format("snapshot {} is left out: {}", id.hex(), error.what()));
      }));
  if (const std::optional<WallTime> before = model::parse_rfc3339(task.find->before))
    std::erase_if(found, [&before](const repo::Snapshot& each) { return each.time > *before; });
  std::reverse(found.begin(), found.end());
  if (found.size() > size_t(task.find->limit)) found.resize(size_t(task.find->limit));
  return found;
}

/// Names of what lies in the repository may stand in it.
std::string short_text(std::string text) {
  if (text.size() > kLongestError) text.resize(kLongestError);
  while (!text.empty() && !is_utf8(text)) text.pop_back();
  return text;
}

}  // namespace

Result<FoundDocuments> find_documents(repo::Indexed& index, const MoveTask& task) {
  FoundDocuments out;
  const std::vector<repo::Snapshot> snapshots = HF_TRY(snapshots_of(index.repository(), task));
  for (const repo::Snapshot& snapshot : snapshots) {
    data_move::FoundDocument found{snapshot.id.hex(), model::to_rfc3339(snapshot.time), {}, {}};
    Result<std::string> text = read_document(index, snapshot, task.document);
    if (!text && (text.error().transient() || text.error().fault() == Fault::Denied))
      return text.take_error();
    const size_t size = text ? text->size() : kLongestError;
    if (out.bytes + size > kMostDocument) {
      out.truncated = true;
      break;
    }
    out.bytes += size;
    if (text)
      found.content = text.take();
    else
      found.error = short_text(text.error().what());
    out.documents.push_back(std::move(found));
  }
  return out;
}

model::Object status_of(const FoundDocuments& found) {
  model::Value documents;
  model::field_type<std::vector<data_move::FoundDocument>>().encode(&found.documents, documents);
  model::Object out{{"documents", std::move(documents)}, {"documentsTruncated", nullptr}};
  if (found.truncated) out["documentsTruncated"] = true;
  return out;
}

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
