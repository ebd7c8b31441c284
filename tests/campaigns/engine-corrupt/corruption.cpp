#include "engine-corrupt/corruption.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::campaign {

using namespace repo;

namespace {

std::string id_of(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::string draw_name(World& world, SeededRandom& chance) {
  const char* prefixes[] = {"data/",  "data/",      "data/",  "data/",
                            "index/", "snapshots/", "config", "keys/"};
  const std::vector<std::string> names = world.names(prefixes[chance.below(8)]);
  return names[chance.below(names.size())];
}

Corruption flip(World& world, SeededRandom& chance) {
  const std::string name = draw_name(world, chance);
  std::string bytes = world.store().whole().at(name);
  Corruption out{.what = "flip bits of " + name, .names = {id_of(name)}};
  for (uint64_t i = chance.below(8) + 1; i > 0; --i) {
    const size_t at = chance.below(bytes.size());
    // Each place once: a bit that is flipped twice is as before.
    if (std::any_of(out.touched.begin(), out.touched.end(),
                    [at](const Place& place) { return place.offset == at; }))
      continue;
    bytes[at] = char(bytes[at] ^ char(1U << chance.below(8)));
    out.touched.push_back({name, at, 1});
  }
  world.store().change(name, std::move(bytes));
  return out;
}

Corruption cut(World& world, SeededRandom& chance) {
  const std::string name = draw_name(world, chance);
  const std::string& bytes = world.store().whole().at(name);
  const size_t size = chance.below(bytes.size());
  world.store().change(name, bytes.substr(0, size));
  return {.what = fmt::format("cut {} to {} bytes", name, size),
          .touched = {{name, size, bytes.size() - size}},
          .names = {id_of(name)}};
}

Corruption blank(World& world, SeededRandom& chance) {
  const std::string name = draw_name(world, chance);
  std::string bytes = world.store().whole().at(name);
  const size_t at = chance.below(bytes.size());
  const size_t size = std::min(bytes.size() - at, size_t{chance.below(4096)} + 1);
  std::string zeros(size, '\0');
  // What was zero before is no damage.
  if (bytes.compare(at, size, zeros) == 0) zeros.assign(size, '\1');
  bytes.replace(at, size, zeros);
  world.store().change(name, std::move(bytes));
  return {.what = fmt::format("blank {} bytes at {} of {}", size, at, name),
          .touched = {{name, at, size}},
          .names = {id_of(name)}};
}

Corruption append(World& world, SeededRandom& chance) {
  const std::string name = draw_name(world, chance);
  std::string bytes = world.store().whole().at(name);
  const size_t size = bytes.size();
  bytes += chance.bytes(chance.below(300) + 1);
  world.store().change(name, bytes);
  // A small file is read whole, and spoilt by what follows it; the blobs of a pack are not.
  Corruption out{.what = "append to " + name, .names = {id_of(name)}};
  if (!name.starts_with("data/")) out.touched = {{name, 0, size}};
  return out;
}

Corruption swap(World& world, SeededRandom& chance) {
  const char* prefixes[] = {"data/", "data/", "index/", "snapshots/"};
  const std::vector<std::string> names = world.names(prefixes[chance.below(4)]);
  const size_t a = chance.below(names.size()),
               b = (a + 1 + chance.below(names.size() - 1)) % names.size();
  Corruption out{.what = fmt::format("swap {} and {}", names[a], names[b]), .each_named = true};
  for (const auto& [into, from] : {std::pair(a, b), std::pair(b, a)}) {
    world.store().change(names[into], world.store().whole().at(names[from]));
    out.touched.push_back({names[into], 0, UINT64_MAX / 2});
    out.names.push_back(id_of(names[into]));
  }
  return out;
}

/// What of the trees and packs speaks of a lost index: nobody knows its name.
std::vector<std::string> traces_of(World& world, const std::string& index) {
  std::vector<std::string> ids;
  for (const std::string& pack : world.names("data/"))
    if (world.index_of(pack) == index) ids.push_back(id_of(pack));
  return ids;
}

Corruption lose(World& world, SeededRandom& chance) {
  const char* prefixes[] = {"data/", "data/", "index/", "config", "keys/"};
  const std::vector<std::string> names = world.names(prefixes[chance.below(5)]);
  const std::string name = names[chance.below(names.size())];
  world.store().drop(name);
  Corruption out{.what = "lose " + name, .touched = {{name, 0, UINT64_MAX / 2}}};
  if (name.starts_with("index/"))
    out.names = traces_of(world, name);
  else
    out.names = {name.starts_with("keys/") ? "keys" : id_of(name)};
  return out;
}

struct Forgery {
  std::vector<IndexedPack> packs{};
  size_t pack = 0, blob = 0;  ///< that is lied about
};

/// A lie about one pack or one blob; which blobs are found wrongly after it.
std::string lie(Forgery& forged, SeededRandom& chance, std::set<NeededBlob>& misled) {
  IndexedPack& pack = forged.packs[forged.pack];
  PackedBlob& blob = pack.blobs[forged.blob];
  const auto all = [&] {
    for (const PackedBlob& each : pack.blobs) misled.insert({each.type, each.id});
  };
  switch (chance.below(6)) {
    case 0:
      misled.insert({blob.type, blob.id});
      blob.offset += uint32_t(chance.below(100)) + 1;
      return "an offset";
    case 1:
      misled.insert({blob.type, blob.id});
      blob.length -= 1 + uint32_t(chance.below(blob.length));
      return "a length";
    case 2:
      misled.insert({blob.type, blob.id});
      blob.plain_length = uint32_t(chance.next());
      return "a plain length";
    case 3:
      all();
      pack.id = Id::from_raw(chance.bytes(32));
      return "the name of a pack";
    case 4:
      misled.insert({blob.type, blob.id});
      blob.id = Id::from_raw(chance.bytes(32));
      return "the id of a blob";
    default:
      misled.insert({blob.type, blob.id});
      blob.type = blob.type == BlobType::Data ? BlobType::Tree : BlobType::Data;
      return "the type of a blob";
  }
}

Corruption forge(World& world, SeededRandom& chance) {
  const std::vector<std::string> names = world.names("index/");
  const std::string name = names[chance.below(names.size())];
  const auto repository = world.open();
  Forgery forged;
  HF_CHECK(bool(parse_index(repository->load(FileType::Index, *Id::from_hex(id_of(name))).take(),
                            [&forged](const IndexedPack& pack) {
                              forged.packs.push_back(pack);
                              return ok();
                            })));
  forged.pack = chance.below(forged.packs.size());
  forged.blob = chance.below(forged.packs[forged.pack].blobs.size());
  Corruption out;
  out.names = {forged.packs[forged.pack].id.hex(),
               forged.packs[forged.pack].blobs[forged.blob].id.hex()};
  out.what = "forge " + lie(forged, chance, out.misled) + " in " + name;
  // With the key in hand: the seal is good, and so is the name.
  HF_CHECK(bool(repository->save(FileType::Index, index_to_json(forged.packs))));
  world.store().drop(name);
  return out;
}

}  // namespace

Corruption corrupt(World& world, SeededRandom& chance) {
  switch (chance.below(10)) {
    case 0:
    case 1:
    case 2:
      return flip(world, chance);
    case 3:
      return cut(world, chance);
    case 4:
      return blank(world, chance);
    case 5:
      return append(world, chance);
    case 6:
      return swap(world, chance);
    case 7:
      return lose(world, chance);
    default:
      return forge(world, chance);
  }
}

}  // namespace holdfast::campaign
