/// `holdfast logs`: a container's log on standard output.
#include <holdfast/cli/ending.h>
#include <holdfast/kube/streams.h>
#include <holdfast/model/time.h>

#include "pods/pod_choice.h"
#include "pods/pod_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

struct LogsOptions {
  PodChoice choice{};
  kube::LogOptions log{};
  std::string since{}, since_time{};
  int64_t tail = -1, limit = 0;
};

Result<kube::LogOptions> log_options(const LogsOptions& options) {
  kube::LogOptions log = options.log;
  if (options.tail >= 0) log.tail_lines = options.tail;
  if (options.limit > 0) log.limit_bytes = options.limit;
  if (!options.since.empty()) {
    const auto since = model::parse_duration(options.since);
    if (!since || since->count() <= 0)
      return Error(Fault::Invalid, fmt::format("--since {}: not a duration", options.since))
          .with_hint("for example 10s, 5m or 3h");
    log.since_seconds = std::chrono::ceil<std::chrono::seconds>(*since).count();
  }
  if (!options.since_time.empty()) {
    log.since_time = model::parse_rfc3339(options.since_time);
    if (!log.since_time)
      return Error(Fault::Invalid,
                   fmt::format("--since-time {}: not an RFC 3339 time", options.since_time))
          .with_hint("for example 2026-01-02T03:04:05Z");
  }
  return log;
}

Result<void> show_logs(const LogsOptions& options) {
  kube::LogOptions log = HF_TRY(log_options(options));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.choice.server));
  log.container = HF_TRY(container_of(*server, options.choice));
  bool written = true;
  auto shown =
      kube::logs(server->client(), server->ns(), pod_name(options.choice.pod), log,
                 [&written](std::string_view bytes) {
                   written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
                             std::fflush(stdout) == 0;
                   return written;
                 });
  if (!shown) return std::move(shown.take_error().error);
  if (!written) return Error(Fault::Unavailable, "write the log to standard output: it is closed");
  return ok();
}

}  // namespace

void add_logs_command(CLI::App& app, int& code) {
  CLI::App* command = app.add_subcommand("logs", "prints the log of a container in a pod");
  auto options = std::make_shared<LogsOptions>();
  add_pod_options(*command, options->choice);
  command->add_flag("-f,--follow", options->log.follow, "follow the log as it grows");
  command->add_flag("-p,--previous", options->log.previous,
                    "log of the container before its last restart");
  command->add_flag("--timestamps", options->log.timestamps, "print the time of each line");
  auto* since =
      command->add_option("--since", options->since, "lines newer than a duration: 5s, 2m, 3h");
  command->add_option("--since-time", options->since_time, "lines newer than an RFC 3339 time")
      ->excludes(since);
  command->add_option("--tail", options->tail, "number of lines from the end; -1: all")
      ->capture_default_str();
  command->add_option("--limit-bytes", options->limit, "maximum number of bytes");
  command->add_flag("--insecure-skip-tls-verify-backend", options->log.insecure_backend,
                    "do not verify the node's certificate");
  command->callback([options, &code] {
    const Result<void> shown = show_logs(*options);
    code = shown ? 0 : fail(shown.error());
  });
}

}  // namespace holdfast::cli
