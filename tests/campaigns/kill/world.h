/// World of the kill campaign: objects that each belong to one writer, and the facts about them
/// that must hold after a restart.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/model/json.h>
#include <holdfast/net/client.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::campaign {

/// A kind of object under load. Every object is {"metadata": …, FIELD: {"seq": …, "pad": …}}; `seq`
/// names the write that made this version and is never used twice.
struct Kind {
  std::string name;  ///< "configmaps"
  std::string path;  ///< of the collection
  std::string head;  ///< `"apiVersion":…,"kind":…`
  std::string field;
};
const std::vector<Kind>& kinds();

/// One object at one revision.
struct Version {
  std::string uid;
  int64_t revision = 0;
  std::string seq;
  bool operator==(const Version&) const = default;
};
using State = std::map<std::string, Version>;  ///< by name

/// A write that was acknowledged, or one that was under way when the server died.
struct Write {
  enum class Verb { Create, Update, Patch, Delete };
  Verb verb = Verb::Create;
  std::string name;
  Version version;  ///< of a deletion: what was deleted, its revision being unknown
};

/// A line of a watch.
struct Event {
  std::string type, name;
  Version version;
  std::string line;
};
Result<Event> parse_event(const Kind& kind, std::string line);
/// Without parsing: the first resourceVersion in the line is the object's own.
int64_t revision_in(std::string_view line);

struct Listing {
  int64_t revision = 0;
  State state;
};
Result<Listing> read_listing(net::Client& client, const Kind& kind);
Version version_of(const Kind& kind, const model::Value& object);

/// An object's text; `uid` and `revision` go into it where they are set.
std::string object_text(const Kind& kind, const std::string& name, const std::string& owner,
                        const Version& version, size_t padding);
/// The namespace, the definition of the custom kind, and one sentinel of each kind.
Result<void> prepare(net::Client& client);
/// Writes the sentinel; returns its new revision, the newest of its kind while nobody else writes.
Result<int64_t> touch_sentinel(net::Client& client, const Kind& kind, const std::string& seq);

}  // namespace holdfast::campaign
