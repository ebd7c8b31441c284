#include <holdfast/base/text.h>
#include <holdfast/protect/pod_output.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

constexpr size_t kMostOutput = 512 << 10, kErrorsKept = 512;

}  // namespace

Result<std::string> pod_output(PodExec& exec, const Clock& clock, const ExecTarget& where,
                               const std::vector<std::string>& command,
                               std::chrono::milliseconds limit) {
  using Kind = kube::ExecSession::Event::Kind;
  const std::string doing = fmt::format("command in pod {}", where.pod);
  const MonoTime until = clock.mono() + limit;
  const auto session = exec.open(where, command, limit, Counted::Output);
  if (!session) return session.error().error.copy().with_context(doing);
  std::string output, errors;
  while (const auto event = (*session)->next(until)) {
    if (event->kind == Kind::Output) output += event->data;
    if (event->kind == Kind::Errors && errors.size() < kErrorsKept) errors += event->data;
    if (output.size() > kMostOutput)
      return Error(Fault::Invalid,
                   fmt::format("{}: it says more than {} bytes", doing, kMostOutput));
    if (event->kind != Kind::End) continue;
    const kube::ExecEnd& end = (*session)->end();
    if (end.code == 0) return output;
    if (end.code)
      return Error(Fault::Invalid, fmt::format("{}: code {}: {}", doing, *end.code, trim(errors)));
    return Error(Fault::Unavailable, fmt::format("{}: {}", doing, end.message));
  }
  return Error(Fault::Unavailable, fmt::format("{}: not done within {} ms", doing, limit.count()));
}

}  // namespace holdfast::protect
