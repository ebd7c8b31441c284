/// Sources of a PersistentVolume, exactly one of which must be given.
#pragma once

#include "kinds/place.h"

namespace holdfast::apiserver::core {

void default_volume_source(model::Value& spec);
/// At least one source, of a sound form, and no second one.
void check_volume_source(const Place& spec, std::string_view volume_name);
/// The members of a spec that are sources.
model::Value sources_of(const model::Value& spec);
/// Those, as core.PersistentVolumeSource.
model::Value shown_sources(const model::Value& spec);

}  // namespace holdfast::apiserver::core
