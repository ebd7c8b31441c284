#include "mover/pod_command.h"

#include <holdfast/base/text.h>
#include <holdfast/kube/config.h>

#include <fmt/format.h>

#include <cstring>

namespace holdfast::protect {
namespace {

using Kind = kube::ExecSession::Event::Kind;

constexpr size_t kWordsKept = 2000;

/// GNU tar's exit code 1, when nothing but this was wrong: files of a running pod change, and the
/// archive holds each of them as it was read.
bool only_changes(std::string_view errors) {
  bool any = false;
  for (const std::string_view line : split(errors, '\n')) {
    if (trim(line).empty()) continue;
    any = true;
    if (!line.ends_with("file changed as we read it") &&
        !line.ends_with("File removed before we read it"))
      return false;
  }
  return any;
}

/// The one named, or the one that kubectl would take.
kube::Reply<std::string> container_of(kube::Client& client, const MoveTask& task) {
  if (!task.container.empty()) return task.container;
  const kube::Reply<model::Value> pod = client.get(kube::kPods, task.ns, task.pod);
  if (!pod) return kube::Failure{pod.error().error.copy(), pod.error().code};
  std::string_view name = model::string_at(
      *pod, {"metadata", "annotations", "kubectl.kubernetes.io/default-container"});
  const model::Array& all = model::array_at(*pod, {"spec", "containers"});
  if (name.empty() && !all.empty()) name = model::string_at(all[0], {"name"});
  return std::string(name);
}

}  // namespace

Result<std::unique_ptr<PodCommand>> PodCommand::start(const MoveTask& task,
                                                      const std::vector<std::string>& command,
                                                      bool input, const Clock& clock,
                                                      Random& random, const std::stop_token& stop) {
  kube::Config config = HF_TRY(kube::load_config({}));
  std::unique_ptr<net::Client> transport = HF_TRY(kube::connect(std::move(config), clock));
  const std::string name = fmt::format("{} in pod {}/{}", command.front(), task.ns, task.pod);
  std::unique_ptr<PodCommand> out(new PodCommand(name, std::move(transport)));
  out->client_ = std::make_unique<kube::Client>(
      *out->transport_, clock, random, kube::sleep_until_stopped(),
      kube::ClientSettings{.user_agent = "holdfast-mover", .field_manager = "holdfast-mover"});
  auto container = container_of(*out->client_, task);
  if (!container) return container.take_error().error.with_context("run " + name);
  kube::ExecOptions options;
  options.container = container.take();
  options.input = input;
  const std::string nonce = draw_nonce(random);
  const Counted counted = input ? Counted::Input : Counted::Output;
  auto begun =
      kube::exec(*out->client_, task.ns, task.pod, with_trailer(command, counted, nonce), options);
  if (!begun) return begun.take_error().error.with_context("run " + name);
  out->session_ = until_trailer(begun.take(), counted, nonce);
  out->on_stop_.emplace(stop, [session = out->session_.get()] { session->close(); });
  return out;
}

/// False at its end.
bool PodCommand::take_event() {
  const std::optional<kube::ExecSession::Event> event = session_->next();
  if (!event || event->kind == Kind::End) return false;
  if (event->kind == Kind::Output) {
    output_ = event->data;
    read_ = 0;
  } else {
    keep_words(event->data);
  }
  return true;
}

void PodCommand::keep_words(std::string_view said) {
  errors_ += said;
  if (errors_.size() > kWordsKept) errors_.erase(0, errors_.size() - kWordsKept);
}

Result<void> PodCommand::ended() const {
  const kube::ExecEnd& end = session_->end();
  if (!end.code) return Error(Fault::Unavailable, fmt::format("run {}: {}", name_, end.message));
  if (*end.code == 0 || (*end.code == 1 && only_changes(errors_))) return {};
  return Error(Fault::Unavailable,
               fmt::format("{} ended with {}: {}", name_, *end.code,
                           trim(errors_).empty() ? end.message : trim(errors_)));
}

Result<size_t> PodCommand::read(char* into, size_t most) {
  while (read_ == output_.size())
    if (!take_event()) {
      HF_TRY(ended());
      return size_t(0);
    }
  const size_t size = std::min(most, output_.size() - read_);
  std::memcpy(into, output_.data() + read_, size);
  read_ += size;
  return size;
}

Result<void> PodCommand::write(std::string_view bytes) {
  // What it says meanwhile must be taken from it, or it would wait for us as we for it.
  while (const auto event = session_->next(MonoTime(0))) {
    if (event->kind == Kind::End) break;
    if (event->kind == Kind::Errors) keep_words(event->data);
  }
  Result<void> written = session_->write(bytes);
  if (written) return written;
  // Why it takes no more is what it says at its end.
  while (take_event()) continue;
  HF_TRY(ended());
  return written;
}

Result<void> PodCommand::finish() {
  HF_TRY(session_->end_input());
  while (take_event()) continue;
  return ended();
}

}  // namespace holdfast::protect
