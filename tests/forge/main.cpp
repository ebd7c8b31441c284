// Forged repositories: a folder whose objects are what a recipe says, sealed as a repository's are.
//
//   holdfast-forge FOLDER <recipe     $RESTIC_PASSWORD opens it; it is made if it is not there
//
//   data TEXT        a blob of these bytes
//   tree JSON        a tree of these bytes, whatever they say
//   snapshot JSON, lock JSON, config JSON, key JSON    a file of that kind; it replaces the config
// "@N" stands for the id of the blob in line N of the recipe, the first being 0.
#include <holdfast/base/clock.h>
#include <holdfast/blob/location.h>
#include <holdfast/repo/backup.h>

#include "backup/saver.h"
#include "hash/sha256.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

using namespace holdfast;
using namespace holdfast::repo;

namespace {

class Forgery {
 public:
  Forgery(Indexed& index, const BackupOptions& options)
      : repository_(index.repository()), saver_(static_cast<IndexedRepository&>(index), options) {}

  Result<void> line(const std::string& line) {
    const size_t blank = std::min(line.find(' '), line.size());
    const std::string kind = line.substr(0, blank);
    const std::string text = with_ids(line.substr(std::min(blank + 1, line.size())));
    ids_.emplace_back();
    if (kind == "data" || kind == "tree") {
      const std::string_view plain = text;
      return saver_.save_blobs(kind == "data" ? BlobType::Data : BlobType::Tree, {&plain, 1},
                               {&ids_.back(), 1});
    }
    files_.emplace_back(kind, text);
    return ok();
  }

  Result<void> finish() {
    HF_TRY(saver_.finish());
    for (const auto& [kind, text] : files_) HF_TRY(put(kind, text));
    return ok();
  }

 private:
  std::string with_ids(const std::string& text) const {
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
      const bool named = text[at] == '@' && at + 1 < text.size() && std::isdigit(text[at + 1]) != 0;
      if (!named) {
        out += text[at];
        continue;
      }
      size_t digits = 0;
      out += ids_.at(std::stoul(text.substr(at + 1), &digits)).hex();
      at += digits;
    }
    return out;
  }

  Result<void> put(const std::string& kind, const std::string& text) {
    if (kind == "snapshot" || kind == "lock") {
      HF_TRY(repository_.save(kind == "lock" ? FileType::Lock : FileType::Snapshot, text));
      return ok();
    }
    if (kind == "key") return repository_.store().put("keys/" + hash(text).hex(), text);
    if (kind != "config") return Error(Fault::Invalid, fmt::format("a recipe has no \"{}\"", kind));
    HF_TRY(repository_.store().remove("config"));
    return repository_.store().put("config", repository_.seal(text));
  }

  Opened& repository_;
  Saver saver_;
  std::vector<Id> ids_;
  std::vector<std::pair<std::string, std::string>> files_;
};

Result<void> forge(const std::string& folder, const std::string& password) {
  const SystemClock clock;
  SystemRandom random;
  const Surroundings around{.clock = clock, .random = random, .host = "forge", .user = "forge"};
  const blob::Waiting waiting{.clock = clock, .random = random};
  const blob::Location place = HF_TRY(blob::parse_location(folder));
  std::shared_ptr<blob::Store> store =
      HF_TRY(blob::open_store(place, {.create = true, .waiting = waiting}));
  std::unique_ptr<Opened> opened = HF_TRY(
      store->stat("config") ? open(store, password, around) : init(store, password, {}, around));
  const std::unique_ptr<Indexed> index = HF_TRY(load_index(std::move(opened), {}));
  const BackupOptions options;
  Forgery forgery(*index, options);
  for (std::string line; std::getline(std::cin, line);) HF_TRY(forgery.line(line));
  return forgery.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const char* password = std::getenv("RESTIC_PASSWORD");
  if (argc != 2 || password == nullptr) {
    std::cerr << "holdfast-forge FOLDER <recipe, with $RESTIC_PASSWORD\n";
    return 2;
  }
  const Result<void> done = forge(argv[1], password);
  if (done) return 0;
  std::cerr << done.error().what() << "\n";
  return 1;
}
