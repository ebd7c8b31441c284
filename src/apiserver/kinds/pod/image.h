/// Container image references: `[registry/]name[:tag][@digest]`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::apiserver::pod {

/// The tag; "latest" if there is neither tag nor digest, "" if only a digest. Nothing if the
/// reference does not parse.
std::optional<std::string> image_tag(std::string_view image);

}  // namespace holdfast::apiserver::pod
