#include "node_thread.h"

#include <holdfast/control/runtime.h>
#include <holdfast/net/in_process.h>
#include <holdfast/node/scheduler.h>

#include "keep_running.h"

namespace holdfast::cli {
namespace {

net::Peer node_of_this_machine() {
  return {.address = "in-process",
          .certificate = true,
          .common_name = "system:node",
          .organizations = {"system:masters"}};
}

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
  keep_running("scheduler", stop, [this, &stop] {
    control::RuntimeSettings settings;
    settings.name = "kube-scheduler";
    settings.instance = "holdfast";
    control::Runtime runtime(std::move(settings), *transport_, clock_, random_,
                             kube::sleep_until_stopped());
    runtime.add(node::scheduler());
    return runtime.run(stop);
  });
}

}  // namespace holdfast::cli
