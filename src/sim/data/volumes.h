/// Data on the world's volumes and in their cuts: one short text each, the name of the claim that
/// it was written on and a version. What writes is an application, and the models of drivers say
/// what it has written (DriverPart::written); cuts, copies and movers only carry the text on.
#pragma once

#include <holdfast/sim/history.h>

#include "world/containers.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::sim {

class Volumes {
 public:
  Volumes(const History& history, const Parts& parts) : history_(history), parts_(parts) {}

  /// What the claim's volume holds; "": nothing, or it has no volume.
  std::string on(const kube::Key& claim) const;
  /// The same, with what the applications of running pods have written by now.
  std::string read(const kube::Key& claim);
  /// In place of what was there.
  void write(const kube::Key& claim, std::string data);
  void fill(const std::string& volume, std::string data) { volumes_[volume] = std::move(data); }
  /// A cut is of its first moment, however often it is asked for.
  void cut(const kube::Key& claim, const std::string& handle) {
    cuts_.emplace(handle, read(claim));
  }
  /// What a new volume of the claim begins with: the cut that its dataSource names, if it names
  /// one. Nothing: that cut is not there, or not ready.
  std::optional<std::string> source_of(const model::Value& claim) const;

 private:
  std::string volume_of(const kube::Key& claim) const;

  const History& history_;
  const Parts& parts_;
  std::map<std::string, std::string> volumes_;  ///< by the volume's name
  std::map<std::string, std::string> cuts_;     ///< by the cut's handle
};

/// "CLAIM: VERSION" → VERSION: equal of claims that were written together.
std::string_view version_in(std::string_view data);

}  // namespace holdfast::sim
