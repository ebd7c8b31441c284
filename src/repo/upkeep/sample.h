/// For tests: a repository in memory, with whatever files a test thinks up.
#pragma once

#include <holdfast/blob/stores.h>
#include <holdfast/repo/snapshot.h>
#include <holdfast/repo/tree.h>

#include "backup/saver.h"
#include "codec/go_json.h"
#include "hash/sha256.h"
#include "open/key_file.h"

#include <map>

namespace holdfast::repo {

struct Sample {
  /// By path, without a slash in front.
  using Files = std::map<std::string, std::string>;

  /// Without a password: deriving a key would take longer than the test.
  explicit Sample(uint64_t seed = 1) : random(seed) {
    config.polynomial = 0x3DA3358B4DC173;
    config.id = std::string(64, 'a');
    config.text = R"({"version":2})";
    key = make_master_key(random);
    HF_CHECK(bool(store->put("config", open()->seal(config.text))));
    const std::string file = to_json(KeyFile{.salt = "salt", .data = "not opened by these tests"});
    HF_CHECK(bool(store->put("keys/" + hash(file).hex(), file)));
  }

  std::unique_ptr<KeyedRepository> open(int pid = 100) {
    return std::make_unique<KeyedRepository>(
        store, key, Id(), config,
        Surroundings{.clock = clock, .random = random, .host = "host", .user = "user", .pid = pid});
  }
  std::unique_ptr<Indexed> index() { return load_index(open(), {}).take(); }

  Snapshot back_up(const Files& files, const std::string& host = "host") {
    const std::unique_ptr<Indexed> into = index();
    Snapshot snapshot;
    {
      BackupOptions options;
      options.pack_size = pack_size;
      Saver saver(static_cast<IndexedRepository&>(*into), options);
      snapshot.tree = save_folder(saver, files);
      HF_CHECK(bool(saver.finish()));
    }
    snapshot.time_text = time_text(clock.now());
    snapshot.time = clock.now();
    snapshot.paths = {"/data"};
    snapshot.host = host;
    HF_CHECK(bool(save_snapshot(into->repository(), snapshot)));
    clock.advance(std::chrono::hours(1));
    return snapshot;
  }

  /// Everything below a tree, read through walk.
  static Result<Files> read(Indexed& from, const Id& tree) {
    Files files;
    std::optional<Error> damage;
    Result<void> walked = walk(
        from, tree,
        [&](const std::string& path, const Node& node) -> Result<Step> {
          if (node.type != NodeType::File) return Step::Inside;
          for (const Id& id : *node.content) files[path] += HF_TRY(from.read(BlobType::Data, id));
          return Step::Inside;
        },
        [&damage](const std::string&, const Error& error) { damage = error.copy(); });
    if (!walked) return walked.take_error();
    if (damage) return std::move(*damage);
    return files;
  }

  std::vector<std::string> names(const std::string& prefix) {
    std::vector<std::string> out;
    HF_CHECK(bool(store->list(prefix, [&out](const blob::Info& i) { out.push_back(i.name); })));
    return out;
  }

  ManualClock clock{WallTime(std::chrono::seconds(1'700'000'000))};
  SeededRandom random;
  std::shared_ptr<blob::Store> store = blob::memory_store();
  MasterKey key{};
  Config config{};
  uint64_t pack_size = uint64_t{256} << 10;

 private:
  static Id save_folder(Saver& saver, const Files& files) {
    std::vector<Node> nodes;
    std::map<std::string, Files> folders;
    for (const auto& [path, bytes] : files) {
      const size_t slash = path.find('/');
      if (slash != std::string::npos) {
        folders[path.substr(0, slash)][path.substr(slash + 1)] = bytes;
        continue;
      }
      Node node;
      node.name = path;
      node.size = bytes.size();
      node.content.emplace();
      for (size_t at = 0; at < bytes.size(); at += 50'000) {
        const std::string_view chunk = std::string_view(bytes).substr(at, 50'000);
        Id id;
        HF_CHECK(bool(saver.save_blobs(BlobType::Data, {&chunk, 1}, {&id, 1})));
        node.content->push_back(id);
      }
      nodes.push_back(std::move(node));
    }
    for (const auto& [name, inside] : folders) {
      Node node;
      node.name = name;
      node.type = NodeType::Dir;
      node.subtree = save_folder(saver, inside);
      nodes.push_back(std::move(node));
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const Node& a, const Node& b) { return a.name < b.name; });
    return saver.save_tree(nodes).take();
  }
};

}  // namespace holdfast::repo
