#include "s3/xml.h"

#include <holdfast/base/utf8.h>

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

namespace holdfast::blob {
namespace {

constexpr size_t kDeepest = 32;
constexpr std::string_view kSpace = " \t\r\n";

std::string_view local_name(std::string_view name) { return name.substr(name.rfind(':') + 1); }

/// `name` stands between '&' and ';'.
bool append_entity(std::string& out, std::string_view name) {
  if (name == "lt") return out += '<', true;
  if (name == "gt") return out += '>', true;
  if (name == "amp") return out += '&', true;
  if (name == "quot") return out += '"', true;
  if (name == "apos") return out += '\'', true;
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const int base = name.starts_with('x') ? 16 : 10;
  if (base == 16) name.remove_prefix(1);
  uint32_t code = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), code, base);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return false;
  if (code == 0 || code > 0x10ffff || surrogate) return false;
  append_utf8(out, code);
  return true;
}

class Reader {
 public:
  Reader(std::string_view text, const std::function<void(XmlPath, const std::string&)>& on_end)
      : text_(text), on_end_(on_end) {}

  Result<void> read() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (at_ < text_.size()) {
      const bool good = text_[at_] == '<' ? read_markup() : read_characters();
      if (!good) return Error(Fault::Corrupt, fmt::format("XML: {} at byte {}", why_, at_));
    }
    if (!path_.empty() || !rooted_)
      return Error(Fault::Corrupt, fmt::format("XML: the document ends early, at byte {}", at_));
    return ok();
  }

 private:
  bool fail(const char* why) {
    why_ = why;
    return false;
  }
  /// Moves behind the next `mark`, and gives what stood before it.
  std::optional<std::string_view> until(std::string_view mark) {
    const size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) return {};
    const std::string_view out = text_.substr(at_, end - at_);
    at_ = end + mark.size();
    return out;
  }
  bool read_characters();
  bool read_markup();
  bool read_open();
  bool read_close();
  bool skip(std::string_view begin, std::string_view end) {
    at_ += begin.size();
    return until(end) ? true : fail("markup without an end");
  }
  void end_element() {
    on_end_(path_, texts_.back());
    path_.pop_back();
    texts_.pop_back();
  }

  const std::string_view text_;
  const std::function<void(XmlPath, const std::string&)>& on_end_;
  size_t at_ = 0;
  bool rooted_ = false;
  const char* why_ = "";
  std::vector<std::string_view> path_;
  std::vector<std::string> texts_;
};

bool Reader::read_characters() {
  const std::string_view run = text_.substr(at_, text_.find('<', at_) - at_);
  if (path_.empty()) {
    if (run.find_first_not_of(kSpace) != std::string_view::npos)
      return fail("text outside of the root");
    at_ += run.size();
    return true;
  }
  for (size_t i = 0; i < run.size();) {
    const size_t plain = std::min(run.find('&', i), run.size());
    texts_.back().append(run.substr(i, plain - i));
    if (plain == run.size()) break;
    const size_t end = run.find(';', plain);
    if (end == std::string_view::npos ||
        !append_entity(texts_.back(), run.substr(plain + 1, end - plain - 1)))
      return fail("an unknown entity");
    i = end + 1;
  }
  at_ += run.size();
  return true;
}

bool Reader::read_markup() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("<?")) return skip("<?", "?>");
  if (rest.starts_with("<!--")) return skip("<!--", "-->");
  if (rest.starts_with("<![CDATA[") && !path_.empty()) {
    at_ += 9;
    const auto run = until("]]>");
    if (!run) return fail("markup without an end");
    texts_.back().append(*run);
    return true;
  }
  if (rest.starts_with("<!")) return fail("a document type");
  return rest.starts_with("</") ? read_close() : read_open();
}

bool Reader::read_open() {
  ++at_;
  // Attributes go unread, but a '>' in their quotes does not end the tag.
  const size_t begin = at_;
  char quote = '\0';
  for (; at_ < text_.size() && (quote != '\0' || text_[at_] != '>'); ++at_) {
    const char c = text_[at_];
    if (quote != '\0' ? c == quote : c == '"' || c == '\'') quote = quote == '\0' ? c : '\0';
  }
  if (at_ == text_.size()) return fail("a tag without an end");
  std::string_view tag = text_.substr(begin, at_++ - begin);
  const bool empty = tag.ends_with('/');
  if (empty) tag.remove_suffix(1);
  const std::string_view name = local_name(tag.substr(0, tag.find_first_of(kSpace)));
  if (name.empty()) return fail("a tag without a name");
  if (path_.empty() && rooted_) return fail("a second root");
  if (path_.size() == kDeepest) return fail("too many levels");
  rooted_ = true;
  path_.push_back(name);
  texts_.emplace_back();
  if (empty) end_element();
  return true;
}

bool Reader::read_close() {
  at_ += 2;
  const auto tag = until(">");
  if (!tag) return fail("a tag without an end");
  const std::string_view name = local_name(tag->substr(0, tag->find_first_of(kSpace)));
  if (path_.empty() || path_.back() != name) return fail("an end tag without its beginning");
  end_element();
  return true;
}

}  // namespace

Result<void> read_xml(std::string_view text,
                      const std::function<void(XmlPath, const std::string&)>& on_end) {
  return Reader(text, on_end).read();
}

std::string xml_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace holdfast::blob
