/// Rules shared by the kinds with a selector, a template and replicas.
#pragma once

#include "kinds/pod/pod.h"
#include "kinds/selectors.h"

namespace holdfast::apiserver::apps {

/// A selector that is required, sound and not empty. `word` is what the real server calls the kind
/// here.
void check_required_selector(const Place& spec, std::string_view word);
/// The selector must match the template's labels; then the template itself, which must restart
/// always and have no deadline. `word` is the kind's name in the sentence about the deadline.
void check_selected_template(const Place& spec, std::string_view word);
void check_restarts_always(const Place& spec, std::string_view word);

/// A count or a percentage: not negative, and a percentage that reads as one.
void check_int_or_percent(const Place& amount);
void check_at_most_all(const Place& amount);  ///< not more than 100 %
int64_t int_or_percent(const Place& amount);

struct StatusCounts {
  std::initializer_list<std::string_view> non_negative;
  std::initializer_list<std::string_view> at_most_replicas;
  std::string_view ready_word =
      "readyReplicas";  ///< as the sentence about available replicas names it
};
/// Counters of a status: none negative, none above `replicas`.
void check_status_counts(const Place& status, const StatusCounts& counts);
void check_collisions_grow(const Place& status, const model::Value& old);

}  // namespace holdfast::apiserver::apps
