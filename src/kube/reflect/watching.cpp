/// A reflector's streams: bytes into lines, lines into changes of the informer.
#include "reflect/state.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

// The largest object that etcd takes is 1.5 MiB; its JSON may be a few times that.
constexpr size_t kLongestLine = size_t(8) << 20;
constexpr size_t kKeptBuffer = size_t(64) << 10;

}  // namespace

bool Reflector::received(std::string_view bytes, MonoTime) {
  State& state = *state_;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (state.line.size() + piece.size() > kLongestLine) {
      state.defect = fmt::format("event of more than {} bytes", kLongestLine);
      return false;
    }
    if (end == std::string_view::npos) {
      state.line += piece;
      return true;
    }
    bytes.remove_prefix(end + 1);
    if (state.line.empty()) {
      if (!state.line_arrived(piece)) return false;
      continue;
    }
    state.line += piece;
    const bool go_on = state.line_arrived(state.line);
    state.line.clear();
    if (state.line.capacity() > kKeptBuffer) state.line.shrink_to_fit();
    if (!go_on) return false;
  }
  return true;
}

bool Reflector::State::line_arrived(std::string_view text) {
  if (text.find_first_not_of(" \r\t") == std::string_view::npos) return true;
  auto event = read_line(text, reader);
  if (event) return event_arrived(event.take());
  defect = event.error().what();
  return false;
}

bool Reflector::State::event_arrived(WatchLine event) {
  using Type = WatchLine::Type;
  if (event.type == Type::Error) {
    refusal = std::move(event.refusal);
    return false;
  }
  if (event.type == Type::Bookmark) return bookmark_arrived(event);
  if (mode == Mode::Streaming) {
    list_bytes += event.object.memory();
    if (list_bytes > kLongestList) {
      defect = fmt::format("streamed list without an end after {} bytes", list_bytes);
      return false;
    }
    if (event.type == Type::Deleted) {
      gone.push_back(std::move(event.object));
    } else {
      gather(std::move(event.object));
    }
    return true;
  }
  set_trouble("");
  refused_in_a_row = 0;
  // Versions of one resource only grow: what is not newer came twice.
  if (event.version != 0 && event.version <= version) return true;
  version = std::max(version, event.version);
  if (event.type == Type::Deleted) {
    informer.erase(event.object);
  } else {
    informer.put(event.object);
  }
  return true;
}

bool Reflector::State::bookmark_arrived(const WatchLine& bookmark) {
  if (mode == Mode::Watching) {
    set_trouble("");
    refused_in_a_row = 0;
    version = std::max(version, bookmark.version);
    informer.advance(version);
    return true;
  }
  if (!bookmark.initial_events_end) return true;
  list_version = bookmark.version;
  if (list_version == 0 || (!version_gone && list_version < version)) {
    defect = fmt::format("streamed list of version {} after {}", list_version, version);
    version_gone = true;
    return false;
  }
  settle_gathered();
  complete_list();
  return true;
}

/// Of what came more than once the newest counts; what was deleted since goes.
void Reflector::State::settle_gathered() {
  const auto order = [](const Cached& a, const Cached& b) {
    return std::pair(a.ns(), a.name()) < std::pair(b.ns(), b.name()) ||
           (a.ns() == b.ns() && a.name() == b.name() && a.version() > b.version());
  };
  const auto same = [](const Cached& a, const Cached& b) {
    return a.ns() == b.ns() && a.name() == b.name();
  };
  if (!std::is_sorted(gathered.begin(), gathered.end(), order))
    std::sort(gathered.begin(), gathered.end(), order);
  gathered.erase(std::unique(gathered.begin(), gathered.end(), same), gathered.end());
  if (gone.empty()) return;
  std::sort(gone.begin(), gone.end(), order);
  std::erase_if(gathered, [&](const Cached& object) {
    const auto last = std::partition_point(gone.begin(), gone.end(), [&](const Cached& each) {
      return std::pair(each.ns(), each.name()) < std::pair(object.ns(), object.name());
    });
    return last != gone.end() && same(*last, object) && last->version() >= object.version();
  });
}

}  // namespace holdfast::kube
