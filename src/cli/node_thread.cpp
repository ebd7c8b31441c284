#include "node_thread.h"

#include <holdfast/base/log.h>
#include <holdfast/control/runtime.h>
#include <holdfast/net/in_process.h>
#include <holdfast/node/scheduler.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

net::Peer node_of_this_machine() {
  return {.address = "in-process",
          .certificate = true,
          .common_name = "system:node",
          .organizations = {"system:masters"}};
}

constexpr auto kPause = 2000ms;

}  // namespace

LocalNode::LocalNode(net::Service& service)
    : transport_(net::make_in_process(service, node_of_this_machine())) {}

Result<std::unique_ptr<LocalNode>> LocalNode::start(net::Service& service,
                                                    node::NodeOptions options) {
  std::unique_ptr<LocalNode> made(new LocalNode(service));
  made->node_ =
      HF_TRY(node::Node::start(std::move(options), *made->transport_, made->clock_, made->random_));
  made->scheduler_ =
      std::jthread([node = made.get()](const std::stop_token& stop) { node->schedule(stop); });
  return made;
}

LocalNode::~LocalNode() {
  scheduler_.request_stop();
  if (node_) node_->stop();
}

void LocalNode::schedule(const std::stop_token& stop) {
  const kube::Sleep pause = kube::sleep_until_stopped();
  while (!stop.stop_requested()) {
    control::RuntimeSettings settings;
    settings.name = "kube-scheduler";
    settings.instance = "holdfast";
    control::Runtime runtime(std::move(settings), *transport_, clock_, random_, pause);
    runtime.add(node::scheduler());
    const Result<void> ended = runtime.run(stop);
    if (ended || stop.stop_requested()) return;
    log::error(fmt::format("scheduler: {} (starting again)", ended.error().what()));
    pause(kPause, stop);
  }
}

}  // namespace holdfast::cli
