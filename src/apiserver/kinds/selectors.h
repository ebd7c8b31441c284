/// Checks that many kinds share: labels, annotations, label selectors, and claims' specs.
#pragma once

#include "kinds/place.h"

namespace holdfast::apiserver {

/// Every key and value of a map of labels. Errors name the map, not the entry, as the real server
/// does.
void check_labels(const Place& labels);
/// Keys, and the total size.
void check_annotations(const Place& annotations);
/// {matchLabels, matchExpressions}; absent is fine.
void check_label_selector(const Place& selector, bool allow_invalid_values = false);
/// Whether some value in the selector's expressions is no label value; such a selector is tolerated
/// on updates.
bool has_invalid_label_value(const model::Value& selector);

enum class Match { Yes, No, Unparsable };
/// An absent selector matches nothing, an empty one everything.
Match match_labels(const model::Value& selector, const model::Value& labels);
/// `{}` or no members that select.
bool selects_everything(const model::Value& selector);

/// A PersistentVolumeClaimSpec: access modes, size, class, sources.
void check_claim_spec(const Place& spec);

}  // namespace holdfast::apiserver
