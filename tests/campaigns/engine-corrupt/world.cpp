#include "engine-corrupt/world.h"

namespace holdfast::campaign {

using namespace repo;

World::World(uint64_t seed) : sample_(seed) {
  SeededRandom chance(seed);
  for (int i = 0; i < 4; ++i) back_up(chance);
  std::map<std::string, std::string> whole;
  for (const std::string& name : sample_.names("")) whole[name] = sample_.store->get(name).take();
  store_ = std::make_shared<Overlay>(std::move(whole));
  sample_.store = store_;
  learn_places();
  for (const auto& [snapshot, files] : made_) snapshots_.push_back(learn(snapshot, files));
}

/// A generation: some files are new, some change, some go.
void World::back_up(SeededRandom& chance) {
  for (int i = 0; i < 25; ++i) {
    const std::string path = "d" + std::to_string(chance.below(4)) + "/" +
                             (chance.below(2) == 0 ? "sub/" : "") + "f" +
                             std::to_string(chance.below(40));
    const size_t size = chance.below(4) == 0 ? chance.below(200'000) : chance.below(3'000);
    files_[path] =
        chance.below(2) == 0 ? chance.bytes(size) : std::string(size, char('a' + chance.below(26)));
  }
  if (files_.size() > 40) files_.erase(files_.begin());
  sample_.pack_size = (chance.below(4) + 1) * 64 << 10;
  made_.emplace_back(sample_.back_up(files_), files_);
}

void World::learn_places() {
  const auto index = sample_.index();
  index->each([this](BlobType type, const Id& id, const Location& where) {
    const bool fresh = places_
                           .try_emplace({type, id}, Place{place_of(FileType::Pack, where.pack),
                                                          where.offset, where.length})
                           .second;
    HF_CHECK(fresh);
  });
  for (const std::string& name : names("index/")) {
    const std::string json = open()->load(FileType::Index, *Id::from_hex(name.substr(6))).take();
    HF_CHECK(bool(parse_index(json, [&](const IndexedPack& pack) {
      index_of_[place_of(FileType::Pack, pack.id)] = name;
      return ok();
    })));
  }
}

StoredSnapshot World::learn(const Snapshot& snapshot, const Sample::Files& files) {
  StoredSnapshot out{.snapshot = snapshot};
  const auto index = sample_.index();
  std::map<std::string, Id> trees{{"", snapshot.tree}};
  HF_CHECK(bool(walk(
      *index, snapshot.tree,
      [&](const std::string& path, const Node& node) -> Result<Step> {
        if (node.type == NodeType::Dir) {
          trees[path] = *node.subtree;
          return Step::Inside;
        }
        StoredFile file{.path = path, .bytes = files.at(path)};
        for (const Id& id : *node.content) file.needs.push_back({BlobType::Data, id});
        file.needs.push_back({BlobType::Tree, snapshot.tree});
        for (size_t slash = path.find('/'); slash != std::string::npos;
             slash = path.find('/', slash + 1))
          file.needs.push_back({BlobType::Tree, trees.at(path.substr(0, slash))});
        out.files.push_back(std::move(file));
        return Step::Inside;
      },
      [](const std::string&, const Error&) { HF_CHECK(false); })));
  HF_CHECK(out.files.size() == files.size());
  return out;
}

std::vector<std::string> World::names(const std::string& prefix) const {
  std::vector<std::string> out;
  for (const auto& [name, bytes] : store_->whole())
    if (name.starts_with(prefix)) out.push_back(name);
  return out;
}

}  // namespace holdfast::campaign
