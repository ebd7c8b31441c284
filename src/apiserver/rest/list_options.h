/// The query of list, watch and deletecollection: parsed, and checked by the rules of meta.k8s.io
/// ListOptions.
#pragma once

#include <holdfast/model/selector.h>

#include "rest/api.h"

#include <optional>

namespace holdfast::apiserver {

struct ListOptions {
  model::LabelSelector labels;
  model::FieldSelector fields;
  std::string resource_version;  ///< as given
  Revision revision = 0;         ///< its number; 0 for "" and "0"
  enum class Match { Unset, Exact, NotOlderThan } match = Match::Unset;
  int64_t limit = 0;
  std::string continue_token;
  std::optional<bool> send_initial_events;
  bool bookmarks = false;
  std::optional<int64_t> timeout_seconds;
};

Answer<ListOptions> read_list_options(const Call& call, bool watch);

/// Whether the object passes both selectors.
bool selected(const Stored& stored, const Resource& resource, const ListOptions& options);

/// Where a paged list goes on.
struct Continue {
  Revision revision = 0;  ///< -1: whatever is newest (an inconsistent continuation)
  std::string ns, name;   ///< first key of the rest
  std::string start;      ///< that key as it stands in the token, without a leading slash
};
std::string write_continue(Revision revision, bool all_namespaces, const std::string& last_ns,
                           const std::string& last_name);
/// What is given in place of a token whose revision is gone: it goes on from the same key in
/// whatever is newest.
std::string write_inconsistent_continue(const Continue& expired);
Answer<Continue> read_continue(const std::string& token, bool all_namespaces);

}  // namespace holdfast::apiserver
