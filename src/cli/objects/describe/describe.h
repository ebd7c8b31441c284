/// `holdfast describe`: what a person wants to know about an object, as text.
#pragma once

#include "objects/describe/sheet.h"
#include "objects/served.h"
#include "objects/server.h"

#include <functional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct DescribeOptions {
  ServerChoice server{};
  std::vector<std::string> words{};
  std::string labels{};
};

/// The exit code; what failed is said on standard error.
int run_describe(const DescribeOptions& options);

/// A subcommand `describe` for one kind.
void add_describe_one(CLI::App& app, const std::string& kind, const std::string& help, int& code);

/// The text of `describe` about an object that has been read.
std::string object_description(Server& server, const model::Value& object);
/// What the server has of them, if it may be seen.
model::Array events_about(Server& server, const model::Value& object);

/// What can be asked of the server beside the object itself. What it refuses is not there.
struct Beside {
  WallTime now{};
  std::function<model::Array(const kube::Resource& resource, const std::string& ns,
                             const std::string& label_selector)>
      list{};
};

/// The whole text. `events` are those about the object.
std::string description(const model::Value& object, const model::Array& events,
                        const Beside& beside);

// What people look for first, by kind; below the names and above the conditions.
void describe_pod(const model::Value& pod, Sheet& sheet, const Beside& beside);
void describe_claim(const model::Value& claim, Sheet& sheet, const Beside& beside);
void describe_move(const model::Value& move, Sheet& sheet, const Beside& beside);
void describe_location(const model::Value& location, Sheet& sheet, const Beside& beside);
void describe_repository(const model::Value& repository, Sheet& sheet, const Beside& beside);
void describe_group(const model::Value& group, Sheet& sheet, const Beside& beside);
void describe_group_action(const model::Value& action, Sheet& sheet, const Beside& beside);

/// "3m20s ago", with the time itself; "" if there is none.
std::string when(std::string_view rfc3339, WallTime now);
/// "3m20s"; "<unknown>" if there is none.
std::string age(std::string_view rfc3339, WallTime now);

}  // namespace holdfast::cli
