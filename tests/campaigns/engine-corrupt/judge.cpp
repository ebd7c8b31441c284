#include "engine-corrupt/judge.h"

#include <holdfast/repo/check.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::campaign {

using namespace repo;

namespace {

class Judge {
 public:
  Judge(World& world, const Corruption& corruption) : world_(world), corruption_(corruption) {}

  std::vector<std::string> run() {
    see_check();
    IndexOptions options;
    options.damaged = [](const Id&, const Error&) {};
    auto index = load_index(world_.open(), options);
    if (!index) {
      wrongs_.push_back("the index does not load: " + index.error().what());
      return wrongs_;
    }
    for (const StoredSnapshot& stored : world_.snapshots())
      for (const StoredFile& file : stored.files) see_file(**index, stored, file);
    return wrongs_;
  }

 private:
  void see_check() {
    Result<CheckResult> result =
        check(*world_.open(), {.data = CheckOptions::Data::All}, [](const CheckProgress&) {}, {});
    if (!result) {
      wrongs_.push_back("check ended: " + result.error().what());
      return;
    }
    for (const Affected& one : result->affected) affected_.emplace(one.snapshot, one.path);
    for (const Damage& damage : result->damages)
      if (damage.place.starts_with("snapshot ")) lost_snapshots_.insert(damage.place.substr(9));
    if (result->good()) wrongs_.emplace_back("check finds nothing wrong");
    const auto is_named = [&result](const std::string& name) {
      return std::any_of(result->damages.begin(), result->damages.end(),
                         [&name](const Damage& damage) {
                           return damage.place.find(name) != std::string::npos ||
                                  damage.what.find(name) != std::string::npos;
                         });
    };
    const std::vector<std::string>& names = corruption_.names;
    const auto named = size_t(std::count_if(names.begin(), names.end(), is_named));
    if (named == 0 || (corruption_.each_named && named < names.size()))
      wrongs_.emplace_back("check does not name the place");
  }

  bool is_touched(const Place& place) const {
    return std::any_of(
        corruption_.touched.begin(), corruption_.touched.end(), [&place](const Place& touched) {
          return touched.name == place.name && touched.offset < place.offset + place.length &&
                 place.offset < touched.offset + touched.length;
        });
  }
  bool is_touched(const std::string& name) const {
    return is_touched(Place{name, 0, UINT64_MAX / 2});
  }
  bool is_touched(const NeededBlob& blob) const {
    const Place& place = world_.place(blob);
    return corruption_.misled.contains(blob) || is_touched(place) ||
           is_touched(world_.index_of(place.name));
  }

  static Result<std::string> read(Indexed& index, const Id& root, const std::string& path) {
    Id tree = root;
    std::string_view left = path;
    for (;;) {
      const std::string json = HF_TRY(index.read(BlobType::Tree, tree));
      const std::vector<Node> nodes = HF_TRY(parse_tree(json));
      const std::string_view name = left.substr(0, left.find('/'));
      const auto node = std::find_if(nodes.begin(), nodes.end(),
                                     [name](const Node& each) { return each.name == name; });
      if (node == nodes.end()) return Error(Fault::NotFound, "not in its folder");
      if (name.size() == left.size()) {
        std::string bytes;
        for (const Id& id : *node->content) bytes += HF_TRY(index.read(BlobType::Data, id));
        return bytes;
      }
      left.remove_prefix(name.size() + 1);
      tree = *node->subtree;
    }
  }

  void see_file(Indexed& index, const StoredSnapshot& stored, const StoredFile& file) {
    const std::string id = stored.snapshot.id.hex();
    const Result<std::string> bytes = read(index, stored.snapshot.tree, file.path);
    const auto wrong = [&](std::string_view what) {
      wrongs_.push_back(fmt::format("{} of snapshot {}: {}", file.path, id.substr(0, 8), what));
    };
    if (bytes && *bytes != file.bytes) return wrong("other bytes come back");
    if (bytes) return;
    const bool touched = std::any_of(file.needs.begin(), file.needs.end(),
                                     [this](const NeededBlob& blob) { return is_touched(blob); });
    if (!touched) return wrong("not touched, and lost: " + bytes.error().what());
    if (!is_told(stored.snapshot.id, file.path) && !lost_snapshots_.contains(id))
      wrong("lost, and check does not say so");
  }

  /// The file itself, or a folder above it.
  bool is_told(const Id& snapshot, const std::string& path) const {
    std::string above = "/" + path;
    for (;;) {
      if (affected_.contains({snapshot, above.empty() ? "/" : above})) return true;
      if (above.empty()) return false;
      above.resize(above.rfind('/'));
    }
  }

  World& world_;
  const Corruption& corruption_;
  std::set<std::pair<Id, std::string>> affected_;
  std::set<std::string> lost_snapshots_;
  std::vector<std::string> wrongs_;
};

}  // namespace

std::vector<std::string> judge(World& world, const Corruption& corruption) {
  return Judge(world, corruption).run();
}

}  // namespace holdfast::campaign
