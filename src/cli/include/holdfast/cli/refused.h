/// Refusals of a server about objects of one kind. A server that does not serve the kind at all is
/// told apart: it has no object of that name either, but another remedy.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/cli/server.h>
#include <holdfast/kube/client.h>

#include <string_view>

namespace holdfast::cli {

/// NotFound; names the versions of the kind's group that the server has in place of ours.
Error not_served(Server& server, const kube::Resource& resource);

/// What the server refused, as an error about `doing`, or that it does not serve the kind.
Error refused(Server& server, const kube::Resource& resource, const kube::Failure& failure,
              std::string_view doing);

/// An object that is not there, of a kind that is served.
bool is_missing(const kube::Failure& failure);

/// Says the same on standard error, a refusal in kubectl's words: 1.
int say_refused(Server& server, const kube::Resource& resource, const kube::Failure& failure);

}  // namespace holdfast::cli
