/// Options of stores: -o s3.NAME=VALUE and what belongs to them.
#pragma once

#include <holdfast/blob/location.h>

#include "repo/settings.h"

namespace holdfast::cli {

/// Invalid names an option that is not known, and those that are.
Result<blob::S3Options> s3_options(const Settings& settings);

}  // namespace holdfast::cli
