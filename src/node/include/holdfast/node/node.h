/// A node of one machine: pods as real processes, in namespaces of their own, with kubelet's
/// behaviour towards the API server.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/base/result.h>
#include <holdfast/net/client.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::node {

struct NodeOptions {
  std::string name;                ///< of the Node object
  std::filesystem::path data_dir;  ///< pods and their logs live here
  std::filesystem::path images;    ///< "" = DATA/images
  std::string listen = "127.0.0.1:0";
  std::string host_ip = "127.0.0.1";
  std::string server_url;             ///< where pods find the API server
  std::string client_ca;              ///< PEM: who may call the node
  std::filesystem::path program;      ///< this binary; "" = /proc/self/exe
  std::vector<std::string> masked{};  ///< folders that no pod may see, beside the data folder
  bool keep_pods = false;             ///< stop() leaves their processes running
};

class Node {
 public:
  virtual ~Node() = default;
  /// Registered when it returns, and taking pods. `transport` is an API server where we may do what
  /// a node may; it, `clock` and `random` outlive the node.
  static Result<std::unique_ptr<Node>> start(NodeOptions options, net::Client& transport,
                                             const Clock& clock, Random& random);
  /// Ends pods within their grace (unless they are to be kept), then all threads.
  virtual void stop() = 0;
  virtual size_t pods() const = 0;
};

}  // namespace holdfast::node
