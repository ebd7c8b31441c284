/// State of a reflector between two steps, and the parts of its steps.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/reflector.h>

#include "reflect/backoff.h"
#include "reflect/wire.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::kube {

/// Bytes of one list, over all its pages or events. More is a server that does not end.
inline constexpr size_t kLongestList = size_t(4) << 30;

struct Reflector::State {
  State(Informer& to_fill, Random& chance, std::string agent);

  enum class Mode { Streaming, Listing, Watching };

  // next(): the requests
  net::Call list_call();
  net::Call watch_call();
  net::Call request(std::string query, bool list) const;

  // listed()
  void list_answered(const net::Response& answer, MonoTime now);
  void page_refused(const Refusal& refusal, std::chrono::seconds retry_after, MonoTime now);
  void page_arrived(ListPage page, size_t bytes, MonoTime now);
  void begin_list();     ///< forget gathered pages; the next request is for the first
  void complete_list();  ///< hand the gathered objects to the informer; watch from there

  // received()
  bool line_arrived(std::string_view text);
  bool event_arrived(WatchLine event);
  bool bookmark_arrived(const WatchLine& bookmark);
  void gather(Cached object);
  void settle_gathered();

  // ended()
  void stream_refused(const Refusal& refusal, std::chrono::seconds retry_after, MonoTime now);
  void watch_refused(const Refusal& refusal, std::chrono::seconds retry_after, MonoTime now);
  void watch_closed(const Result<net::Response>& answer, MonoTime now);

  void relist();  ///< from Watching
  void pause(MonoTime now, std::string why, std::chrono::seconds at_least = {}, int code = 0);
  /// After no answer at all.
  void pause_alone(MonoTime now, std::string why);
  void pause_by(Backoff& backoff, MonoTime now, std::string why, std::chrono::seconds at_least,
                int code);
  void set_trouble(std::string text, int code = 0);

  Informer& informer;
  Random& random;
  const std::string user_agent;
  const ObjectReader reader;
  std::atomic<int> lists{0};
  mutable Mutex mutex;
  Trouble trouble HF_GUARDED_BY(mutex);

  Mode mode = Mode::Streaming;
  bool can_stream = true;
  /// Everything up to it is in the informer; 0 = nothing is known yet.
  uint64_t version = 0;
  bool version_gone = false;  ///< the server cannot serve from it: ask for the newest state
  // A server that is away, or ill, costs little to ask, and is asked by all that follow it; what it
  // refuses, a person mends; of what makes no sense more would only be noise.
  Backoff when_away{std::chrono::seconds(4)}, when_refused{std::chrono::seconds(6)},
      when_senseless{std::chrono::seconds(30)};
  MonoTime paused_until{};
  bool paused_away = false;  ///< the pause ends when the server answers anybody

  // Listing and Streaming
  std::vector<Cached> gathered;
  std::vector<Cached> gone;  ///< deleted while their list was being streamed
  uint64_t list_version = 0;
  std::string page_token;
  size_t pages = 0, list_bytes = 0;
  bool whole = false;  ///< page tokens expire faster than we read: one answer, no pages

  // Streaming and Watching
  std::string line;                ///< the beginning of one
  MonoTime opened{};               ///< when the stream was asked for
  std::optional<Refusal> refusal;  ///< the ERROR event that ended the stream
  std::string defect;              ///< what was wrong with the line that ended it
  int refused_in_a_row = 0;
};

}  // namespace holdfast::kube
