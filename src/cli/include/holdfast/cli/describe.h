/// Descriptions of objects: what people look for first, by kind, and what every description has.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/cli/server.h>
#include <holdfast/cli/sheet.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// What can be asked of the server beside the object itself. What it refuses is not there.
struct Beside {
  WallTime now{};
  std::function<model::Array(const kube::Resource& resource, const std::string& ns,
                             const std::string& label_selector)>
      list{};
};

/// How one kind is described: entries below the names and above the conditions. Of such a kind the
/// status is not shown a second time as it is.
struct DescribedKind {
  std::string_view group{};  ///< of its API, in any version; "" = core
  std::string_view kind{};
  void (*describe)(const model::Value& object, Sheet& sheet, const Beside& beside) = nullptr;
};

/// The whole text about an object that has been read. `kinds`: those of drivers.
std::string object_description(Server& server, const model::Value& object,
                               const std::vector<DescribedKind>& kinds);

/// The events about it that the server has, if they may be seen.
model::Array events_about(Server& server, const model::Value& object);

/// "2026-01-02T03:04:05Z (3m20s ago)"; "" if there is none.
std::string when(std::string_view rfc3339, WallTime now);
/// "3m20s"; "<unknown>" if there is none.
std::string age(std::string_view rfc3339, WallTime now);

}  // namespace holdfast::cli
