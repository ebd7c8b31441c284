/// Faults of a run, with their times, as a list that can be written down, read back and made
/// shorter.
///
///   - {at: write 17, do: crash-before-reply}
///   - {at: call 40, do: answer, code: 503}
///   - {at: stream 3, do: cut-stream, pick: 1}
///   - {at: 12.5s, do: watch-delay, of: pods, for: 20s}
///
/// `write N` is the Nth write of the operators that the server committed, `call N` their Nth
/// request of any kind, `stream N` the Nth command that anybody ran in a pod, a time is virtual and
/// counts from the first step of the workload.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/model/json.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::sim {

enum class Do {
  CrashBeforeWrite,  ///< the process dies just before the server gets the write
  CrashBeforeReply,  ///< the write is committed; the process dies without learning it
  CrashAfterReply,   ///< the process learns it and dies before anything else
  LoseReply,         ///< carried out, but no answer comes within the time limit
  LoseRequest,       ///< neither carried out nor answered
  Answer,            ///< not carried out; answered with `code`
  WatchDrop,         ///< the stream of `of` breaks; what was under way is lost
  WatchDelay,        ///< nothing of `of` arrives `for` a while
  WatchDuplicate,    ///< `for` a while, each event of `of` arrives twice
  WatchCoalesce,     ///< `for` a while, all but the last of several changes of an object are hidden
  Relist,            ///< the watch of `of` ends with 410: all is listed anew
  StaleList,         ///< `for` a while, lists of `of` are answered by a server that has not seen
                     ///< the last `pick` commits
  Pause,             ///< the operator `pick` stands still `for` a while; clocks go on. Its elector
                     ///< wakes `by` later than the rest
  ClockJump,         ///< the wall clock of the operators jumps `by`
  PodLost,           ///< one pod fails, chosen by `pick`
  PodDeleted,        ///< a user deletes one pod, chosen by `pick`
  NodeLost,          ///< one node, chosen by `pick`, is away `for` a while; its pods are evicted
  RevokeAccess,      ///< the operators may do nothing `for` a while
  BucketAway,        ///< no request to the bucket arrives `for` a while
  UserEdit,          ///< the scenario's edit number `pick` is made
  Recreate,          ///< `of` (KIND/NAME) is deleted and made again under the same name
  CutStream,         ///< the stream of a command ends after `pick` lines of its output, and the
                     ///< server says that the command ended well; the command goes on
};

std::string_view to_string(Do what);

struct Mishap {
  enum class At { Write, Call, Stream, Time };
  At at = At::Time;
  uint64_t number = 0;  ///< of Write, Call and Stream
  MonoTime time{};      ///< of Time
  Do what = Do::CrashBeforeReply;
  std::string of{};  ///< plural of a resource, or KIND/NAME
  int code = 0;
  uint64_t pick = 0;
  MonoTime lasts{}, by{};
};

/// One line of YAML flow, as above.
std::string to_text(const Mishap& fault);
std::string to_text(const std::vector<Mishap>& faults);
Result<Mishap> fault_from(const model::Value& value);
Result<std::vector<Mishap>> faults_from_yaml(std::string_view text);

/// What a run without faults was like: random faults are drawn within it.
struct Extent {
  uint64_t writes = 0, calls = 0, streams = 0;
  MonoTime lasted{};
};

/// What may be drawn: which faults, of which resources, which edits.
struct Range {
  std::vector<Do> kinds{};
  std::vector<std::string> resources{};
  std::vector<std::string> recreatable{};
  size_t edits = 0;
  uint64_t operators = 1;
};

/// A random handful: each seed takes some of the kinds and leaves out the others, so that rare
/// mixtures come up which a blend of everything would drown.
std::vector<Mishap> draw_faults(const Range& range, const Extent& extent, Random& random);

}  // namespace holdfast::sim
