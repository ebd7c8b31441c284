/// Reading of objects of any kind: by name, all of a namespace or of all, as tables of the server's
/// or whole, and as they change.
#pragma once

#include <holdfast/cli/server.h>

#include "objects/accepting.h"
#include "objects/served.h"

#include <functional>
#include <string>

namespace holdfast::cli {

/// Which objects of one kind.
struct Selection {
  const Served* kind = nullptr;
  std::string ns{};    ///< "" = all, or none if the kind has no namespaces
  std::string name{};  ///< "" = all
  std::string labels{}, fields{};
};

/// The selection's path and query; with a name, that of the one object.
std::string target_of(const Selection& selection);

class Reading {
 public:
  explicit Reading(Server& server);

  /// The server's Table, all pages in one.
  kube::Reply<model::Value> table(const Selection& selection);
  /// Whole objects.
  kube::Reply<model::Array> objects(const Selection& selection);

  /// Hands over each change from a version on: its word (ADDED, MODIFIED, DELETED) and the object,
  /// or a Table of one row. Ends when `on_change` returns false, or with what the server refuses;
  /// a stream that merely ends is taken up where it was.
  using OnChange = std::function<bool(std::string_view type, const model::Value& object)>;
  kube::Reply<void> follow(const Selection& selection, std::string version, bool tables,
                           const OnChange& on_change);

 private:
  /// A name that is not there because its namespace is not: that is what is said.
  kube::Failure better(kube::Failure failure, const Selection& selection);
  Server& server_;
  Accepting asking_;
  kube::Client tables_;
};

}  // namespace holdfast::cli
