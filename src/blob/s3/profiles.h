/// Profiles: the shared config and credentials files of AWS's tools.
///
///   [default]                      in ~/.aws/config other sections are [profile NAME]
///   aws_access_key_id = …
///   aws_secret_access_key = …
///   aws_session_token = …
///   region = …
///   s3 =                           nested settings are indented; not ours
///     addressing_style = path
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace holdfast::blob {

using Profile = std::map<std::string, std::string>;

/// The settings of one section; of several of that name, later ones win. Empty if it is not there.
Profile read_profile(std::string_view text, std::string_view name);

}  // namespace holdfast::blob
