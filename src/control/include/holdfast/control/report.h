/// Report: changes to the status of a typed object. One writer for all kinds of ours, so that
/// conditions, events and patches come out alike.
#pragma once

#include <holdfast/control/outcome.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/status_patch.h>
#include <holdfast/model/time.h>

#include <algorithm>

namespace holdfast::control {

/// Null if there is none of that type.
inline const model::Condition* find_condition(const std::vector<model::Condition>& conditions,
                                              std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [type](const auto& each) { return each.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

/// Turns the status of `seen`, read from `object`, into `status`; nothing that is equal is sent.
template <class T>
Write write_status(const T& seen, const kube::Cached& object, decltype(T::status) status,
                   std::optional<Note> note = std::nullopt) {
  model::Object changes{{"status", model::changed_status(seen, std::move(status))}};
  Write write = patch(kube::resource_of<T>(), object, std::move(changes), Decides::Yes, "status");
  write.note = std::move(note);
  return write;
}

template <class T>
class Report {
 public:
  using Status = decltype(T::status);

  /// Of a `T` of that generation; `action` is what events say was done.
  Report(const T& seen, int64_t generation, WallTime now, std::string_view action)
      : seen_(seen), status_(seen.status), generation_(generation), now_(now), action_(action) {}

  Status& status() { return status_; }
  const Status& status() const { return status_; }

  /// True if it says something new. `value`: True, False or Unknown.
  bool set(std::string_view type, std::string_view value, std::string reason, std::string message) {
    model::Condition wanted{
        std::string(type), std::string(value), std::move(reason), std::move(message), "",
        generation_};
    return model::set_condition(status_.conditions, std::move(wanted), model::to_rfc3339(now_));
  }
  Report& condition(std::string_view type, bool value, std::string reason, std::string message) {
    set(type, value ? "True" : "False", std::move(reason), std::move(message));
    return *this;
  }
  Report& drop_condition(std::string_view type) {
    std::erase_if(status_.conditions, [type](const auto& each) { return each.type == type; });
    return *this;
  }
  /// The last one counts: a write carries one event.
  Report& note(bool warning, std::string reason, std::string message) {
    note_ = Note{.warning = warning,
                 .reason = std::move(reason),
                 .message = std::move(message),
                 .action = action_};
    return *this;
  }

  /// `object` is what the `T` was read from.
  Outcome outcome(const kube::Cached& object) const {
    return Outcome::act(write_status(seen_, object, status_, note_));
  }

 protected:
  WallTime now() const { return now_; }

 private:
  const T& seen_;
  Status status_;
  int64_t generation_;
  WallTime now_;
  std::string action_;
  std::optional<Note> note_{};
};

}  // namespace holdfast::control
