/// The pieces that answer a request, and the request as they see it. Everything in rest/ is a
/// function of (Api, Call).
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/model/apply.h>
#include <holdfast/model/status.h>
#include <holdfast/net/http.h>

#include "auth/authenticator.h"
#include "auth/authorizer.h"
#include "kinds/resource.h"
#include "rest/request_info.h"
#include "store/store.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::apiserver {

using model::Answer;
using model::Array;
using model::Object;
using model::Status;
using model::Value;

class ServedKinds;
class WatchHub;
struct NodeRequest;

/// What the server is made of. All references outlive every request.
struct Api {
  Store& store;
  const Clock& clock;
  Random& random;
  Authenticator& authenticator;
  Authorizer& authorizer;
  ServedKinds& kinds;
  WatchHub& watches;
};

enum class FieldValidation { Ignore, Warn, Strict };

/// The query options of writes, checked.
struct WriteOptions {
  bool dry_run = false;
  bool force = false;
  std::string field_manager;
  FieldValidation validation = FieldValidation::Warn;
};

/// One authenticated, authorized request to a resource.
struct Call {
  net::Request http;
  RequestInfo info;
  User user;
  std::string caller;  ///< whose share of the connections it is on; "" if nobody's
  ResourcePtr resource;
  std::vector<std::string> warnings;  ///< each becomes a Warning header
};

/// What goes back. `hold`: nothing leaves before this revision is durable.
struct Reply {
  int code = 200;
  std::string body;
  std::string content_type = "application/json";
  std::shared_ptr<net::BodyStream> stream;
  std::shared_ptr<const NodeRequest> node;  ///< a node answers instead
  Revision hold = 0;
};

}  // namespace holdfast::apiserver
