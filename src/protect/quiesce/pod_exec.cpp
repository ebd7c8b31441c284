// Commands in pods by way of the API server, with the rights of an account where one is named.
#include <holdfast/protect/cut/quiesce.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

class ServedExec final : public PodExec {
 public:
  explicit ServedExec(kube::Client& client) : client_(client) {}

  kube::Reply<std::unique_ptr<kube::ExecSession>> open_bare(
      const ExecTarget& target, const std::vector<std::string>& command,
      std::chrono::milliseconds limit) override {
    kube::ExecOptions options;
    options.container = target.container;
    options.input = true;
    options.limit = limit;
    if (target.account.empty()) return kube::exec(client_, target.ns, target.pod, command, options);
    // No groups are named: the server fills in those of the account, and to name them would need
    // the right to be in any group, system:masters too.
    kube::Client theirs =
        client_.as(fmt::format("system:serviceaccount:{}:{}", target.ns, target.account), {});
    return kube::exec(theirs, target.ns, target.pod, command, options);
  }

 private:
  std::string nonce() override { return draw_nonce(random_); }

  kube::Client& client_;
  SystemRandom random_{};
};

}  // namespace

kube::Reply<std::unique_ptr<kube::ExecSession>> PodExec::open(
    const ExecTarget& target, const std::vector<std::string>& command,
    std::chrono::milliseconds limit, Counted counted) {
  const std::string drawn = nonce();
  auto session = HF_TRY(open_bare(target, with_trailer(command, counted, drawn), limit));
  return until_trailer(std::move(session), counted, drawn);
}

std::unique_ptr<PodExec> make_pod_exec(kube::Client& client) {
  return std::make_unique<ServedExec>(client);
}

}  // namespace holdfast::protect
