#include "kill/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace holdfast::campaign {
namespace {

std::string told(const Event& event) {
  return fmt::format("{} {} revision {} seq {} uid {}", event.type, event.name,
                     event.version.revision, event.version.seq, event.version.uid);
}

/// Applies an event; false if it cannot follow from the state.
bool apply(State& state, const Event& event) {
  const auto found = state.find(event.name);
  const bool exists = found != state.end();
  if (event.type == "ADDED" && !exists) {
    state.emplace(event.name, event.version);
    return true;
  }
  if (!exists || found->second.uid != event.version.uid) return false;
  if (event.type == "MODIFIED") {
    found->second = event.version;
    return true;
  }
  state.erase(found);
  return event.type == "DELETED";
}

std::string difference(const State& expected, const State& got) {
  for (const auto& [name, version] : expected) {
    const auto found = got.find(name);
    if (found == got.end())
      return fmt::format("{} of revision {} is missing", name, version.revision);
    if (!(found->second == version))
      return fmt::format("{} is at revision {} seq {}, not {} seq {}", name, found->second.revision,
                         found->second.seq, version.revision, version.seq);
  }
  for (const auto& [name, version] : got)
    if (!expected.contains(name))
      return fmt::format("{} of revision {} should not be there", name, version.revision);
  return {};
}

void check_list(const Kind& kind, const State& expected, const Listing& list, Defects& defects) {
  const std::string wrong = difference(expected, list.state);
  if (!wrong.empty())
    defects.push_back(fmt::format("list of {} at {}: {}", kind.name, list.revision, wrong));
}

/// Finds the events of writes, each at most once.
class Claims {
 public:
  explicit Claims(const std::vector<Event>& events) {
    for (const Event& event : events)
      (event.type == "DELETED" ? deletions_[event.version.uid] : puts_[event.version.seq]) = &event;
  }
  /// Null if the history does not have it.
  const Event* claim(const Write& write) {
    const bool deletion = write.verb == Write::Verb::Delete;
    auto& from = deletion ? deletions_ : puts_;
    const auto found = from.find(deletion ? write.version.uid : write.version.seq);
    if (found == from.end() || found->second->name != write.name) return nullptr;
    const Event* event = found->second;
    from.erase(found);
    return event;
  }
  std::vector<const Event*> rest() const {
    std::vector<const Event*> out;
    for (const auto& [seq, event] : puts_) out.push_back(event);
    for (const auto& [uid, event] : deletions_) out.push_back(event);
    return out;
  }

 private:
  std::map<std::string, const Event*> puts_, deletions_;
};

constexpr std::string_view verb_name(Write::Verb verb) {
  switch (verb) {
    case Write::Verb::Create:
      return "create";
    case Write::Verb::Update:
      return "update";
    case Write::Verb::Patch:
      return "patch";
    case Write::Verb::Delete:
      return "delete";
  }
  return "";
}

void check_acknowledged(Claims& claims, const Write& write, Defects& defects) {
  const Event* event = claims.claim(write);
  const bool deletion = write.verb == Write::Verb::Delete;
  if (event == nullptr)
    defects.push_back(fmt::format("acknowledged {} of {} seq {} revision {} is lost",
                                  verb_name(write.verb), write.name, write.version.seq,
                                  write.version.revision));
  else if (deletion ? event->version.revision <= write.version.revision
                    : !(event->version == write.version))
    defects.push_back(fmt::format("acknowledged {} of {} at revision {} became {}",
                                  verb_name(write.verb), write.name, write.version.revision,
                                  told(*event)));
}

}  // namespace

Result<std::vector<Event>> read_history(net::Client& client, const Kind& kind, int64_t from,
                                        int64_t last) {
  std::string bytes;
  net::Call call;
  call.target = fmt::format("{}?watch=1&resourceVersion={}&timeoutSeconds=120", kind.path, from);
  const std::string mark = fmt::format("\"resourceVersion\":\"{}\"", last);
  size_t looked = 0;
  const net::Response ended = HF_TRY(client.stream(call, [&](std::string_view more) {
    bytes += more;
    const size_t found = bytes.find(mark, looked);
    if (found != std::string::npos) return bytes.find('\n', found) == std::string::npos;
    looked = bytes.size() - std::min(bytes.size(), mark.size());
    return true;
  }));
  if (ended.status >= 300)
    return Error(Fault::Internal, fmt::format("{}: {} {}", call.target, ended.status, ended.body));
  std::vector<Event> events;
  for (size_t start = 0, end; (end = bytes.find('\n', start)) != std::string::npos; start = end + 1)
    events.push_back(HF_TRY(parse_event(kind, bytes.substr(start, end - start))));
  if (events.empty() || events.back().version.revision != last)
    return Error(Fault::Internal,
                 fmt::format("{} ended before revision {}: {}", call.target, last,
                             events.empty() ? "no event" : events.back().line.substr(0, 300)));
  return events;
}

void check_sequence(const History& history, Defects& defects) {
  State state = history.before.state;
  int64_t newest = history.before.revision;
  std::vector<const Listing*> lists;
  for (const Listing& list : history.lists) lists.push_back(&list);
  std::stable_sort(lists.begin(), lists.end(),
                   [](const Listing* a, const Listing* b) { return a->revision < b->revision; });
  size_t next = 0;
  for (const Event& event : history.events) {
    for (; next < lists.size() && lists[next]->revision < event.version.revision; ++next)
      check_list(history.kind, state, *lists[next], defects);
    if (event.version.revision <= newest)
      defects.push_back(fmt::format("revision goes back from {} at {}", newest, told(event)));
    newest = event.version.revision;
    if (!apply(state, event))
      defects.push_back(fmt::format("does not follow from the state: {}", told(event)));
  }
  for (; next < lists.size(); ++next) {
    check_list(history.kind, state, *lists[next], defects);
    if (lists[next]->revision > history.after.revision)
      defects.push_back(fmt::format("a list was at {} before the kill, now {}",
                                    lists[next]->revision, history.after.revision));
  }
  check_list(history.kind, state, history.after, defects);
}

Tally check_writes(const History& history, const std::vector<std::unique_ptr<Writer>>& writers,
                   Defects& defects) {
  Claims claims(history.events);
  Tally tally;
  for (const auto& writer : writers) {
    if (&writer->kind() != &history.kind) continue;
    for (const Write& write : writer->acknowledged()) {
      check_acknowledged(claims, write, defects);
      if (write.version.revision > history.after.revision)
        defects.push_back(fmt::format("acknowledged revision {} is above the list's {}",
                                      write.version.revision, history.after.revision));
    }
    tally.acknowledged += writer->acknowledged().size();
    if (writer->in_doubt()) {
      ++tally.in_doubt;
      if (claims.claim(*writer->in_doubt()) != nullptr) ++tally.landed;
    }
    for (const Event* event : claims.rest())
      if (event->name.starts_with(writer->owner() + "-"))
        defects.push_back(fmt::format("nobody asked for {}", told(*event)));
  }
  return tally;
}

void check_watch(const std::string& who, const std::vector<const Event*>& expected,
                 const std::vector<std::string>& got, Defects& defects) {
  const size_t both = std::min(expected.size(), got.size());
  for (size_t i = 0; i < both; ++i) {
    if (expected[i]->line == got[i]) continue;
    defects.push_back(fmt::format("{}: event {} of {} should be {}, came {}", who, i + 1,
                                  expected.size(), told(*expected[i]), got[i].substr(0, 400)));
    return;
  }
  if (got.size() < expected.size())
    defects.push_back(fmt::format("{}: {} of {} events came, next should be {}", who, got.size(),
                                  expected.size(), told(*expected[both])));
  if (got.size() > expected.size())
    defects.push_back(fmt::format("{}: {} events too many, first {}", who,
                                  got.size() - expected.size(), got[both].substr(0, 400)));
}

}  // namespace holdfast::campaign
