/// The XML that S3 services answer with: elements and their text. Attributes, comments and
/// processing instructions are passed over; document types are refused, so no entity can be made.
#pragma once

#include <holdfast/base/result.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::blob {

/// Local names from the root to an element.
using XmlPath = std::span<const std::string_view>;

/// Calls `on_end` at the end of each element, children before parents, with the characters that
/// stand directly in it. Corrupt if the text is no well-formed document of at most 32 levels.
Result<void> read_xml(std::string_view text,
                      const std::function<void(XmlPath path, const std::string& text)>& on_end);

/// For content between tags.
std::string xml_escape(std::string_view text);

}  // namespace holdfast::blob
