#include "documents/document.h"

#include <holdfast/base/bytes.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

constexpr size_t kLongestName = 255;  // of a file, on every file system

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

bool is_document_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && is_utf8(name) &&
         std::none_of(name.begin(), name.end(), is_control);
}

bool is_document_text(std::string_view text) {
  const auto odd = [](char c) { return is_control(c) && c != '\t' && c != '\n' && c != '\r'; };
  return is_utf8(text) && std::none_of(text.begin(), text.end(), odd);
}

}  // namespace holdfast::protect
