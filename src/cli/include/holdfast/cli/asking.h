/// Requests made as any user would: by a new object, by a label on one that is there, or by its
/// deletion.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/cli/objects.h>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// A name, or how one begins that is made up.
struct NewName {
  std::string name{}, prefix{};
};
/// Makes the object in the command's namespace, with that name and these labels: its name.
kube::Reply<std::string> make_object(Server& server, const kube::Resource& resource,
                                     model::Value object, const NewName& name,
                                     model::Object labels = {});

/// A wish that a label tells, and that a controller answers with an object of its own.
struct LabelWish {
  const kube::Resource& resource;  ///< of what is asked
  std::string name{}, word{};
  std::vector<std::string_view> labels{};  ///< the first is set; each of them is a wish already
  std::string_view id{};                   ///< annotation by which the answer is known, of both
  const kube::Resource& made;              ///< of the answer
  std::string selector{};                  ///< its labels
  std::string what{};                      ///< that is asked, for people: "group db"
  Others others{};                         ///< where it is not there
};
/// Sets the label with an id of its own, and waits for the answer: its name. What somebody else
/// asked for before is waited for, not written over. Nothing: told to stop.
Result<std::optional<std::string>> ask_by_label(Server& server, const LabelWish& wish,
                                                const std::stop_token& stop);

/// One object, and no other of its name.
struct Target {
  const kube::Resource& resource;
  std::string name{}, uid{};
};
/// Sets a label on it; with `restore` also what is wished of that restore, in its spec.
Result<void> set_label(Server& server, const Target& target, const model::Value& object,
                       std::string_view label, std::string_view word,
                       std::optional<model::Value> restore);
/// Changes a member of its spec.
Result<void> set_spec(Server& server, const Target& target, model::Object members);
/// Waits until it is gone; what it holds on to goes first. `describe`: the command that says what
/// it waits for, where that takes too long.
Result<void> remove_object(Server& server, const Target& target, std::string_view describe);

}  // namespace holdfast::cli
