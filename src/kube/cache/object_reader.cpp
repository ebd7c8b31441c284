#include "cache/object_reader.h"

#include <holdfast/base/bytes.h>

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <new>

namespace holdfast::kube {
namespace {

Error not_an_object(const Scanner& scan) {
  return {Fault::Invalid, fmt::format("no JSON object: byte {}", scan.position())};
}

uint64_t number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

/// Escapes, or bytes that a parser would replace.
bool is_unusual(std::string_view raw) {
  const auto plain = [](char c) { return c != '\\' && static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(raw.begin(), raw.end(), plain)) return false;
  return raw.find('\\') != std::string_view::npos || !is_utf8(raw);
}

}  // namespace

ObjectReader::ObjectReader(std::string_view api_version, std::string_view kind)
    : api_version_(fmt::format("\"apiVersion\":\"{}\",", api_version)),
      kind_(fmt::format("\"kind\":\"{}\",", kind)) {}

bool ObjectReader::note_string(Scanner& scan, Span& span, Found& found) {
  if (span.to != 0) found.unusual = true;
  span = {};
  if (scan.peek() != '"') return scan.skip();
  std::string_view raw;
  if (!scan.string(raw)) return false;
  span.to = scan.position() - 1;
  span.from = span.to - raw.size();
  found.unusual = found.unusual || is_unusual(raw);
  return true;
}

bool ObjectReader::find_in_metadata(Scanner& scan, Found& found) {
  if (found.metadata.to != 0) found.unusual = true;
  if (scan.peek() != '{') return scan.skip();
  found.metadata.from = scan.position();
  scan.enter('{');
  std::string_view key;
  Span deleted;
  for (size_t before = scan.position(); scan.member(key); before = scan.position()) {
    Span* const noted = key == "name"                ? &found.name
                        : key == "namespace"         ? &found.ns
                        : key == "uid"               ? &found.uid
                        : key == "resourceVersion"   ? &found.version
                        : key == "deletionTimestamp" ? &deleted
                                                     : nullptr;
    found.unusual = found.unusual || is_unusual(key);
    if (noted != nullptr ? !note_string(scan, *noted, found) : !scan.skip()) return false;
    if (key != "managedFields") continue;
    if (found.managed_fields.to != 0) found.unusual = true;
    found.managed_fields = {before, scan.position()};
    // The first member leaves the comma behind it without a use.
    if (before == found.metadata.from + 1 && scan.peek() == ',') ++found.managed_fields.to;
  }
  found.metadata.to = scan.position();
  found.being_deleted = deleted.size() > 0;
  return scan.left();
}

bool ObjectReader::find(Scanner& scan, Found& found) {
  if (scan.peek() != '{') return false;
  found.object.from = scan.position();
  scan.enter('{');
  std::string_view key;
  while (scan.member(key)) {
    found.has_api_version = found.has_api_version || key == "apiVersion";
    found.has_kind = found.has_kind || key == "kind";
    found.unusual = found.unusual || is_unusual(key);
    if (key == "metadata" ? !find_in_metadata(scan, found) : !scan.skip()) return false;
  }
  found.object.to = scan.position();
  return scan.left();
}

std::string ObjectReader::missing(const Found& found) const {
  std::string members;
  if (!found.has_kind) members += kind_;
  if (!found.has_api_version) members += api_version_;
  return members;
}

Result<Cached> ObjectReader::make(const Scanner& scan, const Found& found) const {
  constexpr size_t kLongest = std::numeric_limits<uint16_t>::max();
  if (found.name.size() == 0) return Error(Fault::Invalid, "object without metadata.name");
  if (found.name.size() > kLongest || found.ns.size() > kLongest || found.uid.size() > kLongest ||
      found.object.size() > std::numeric_limits<uint32_t>::max() / 2)
    return Error(Fault::Invalid, "object of unreasonable size");
  const std::string added = missing(found);
  const Span& cut = found.managed_fields;
  const size_t start = found.object.from;
  const auto kept = [&](size_t position) {
    const size_t gone = cut.to != 0 && position >= cut.to ? cut.size() : 0;
    return uint32_t(position - start + added.size() - gone);
  };
  const uint32_t size = kept(found.object.to);
  auto* const record = new (::operator new(sizeof(Cached::Record) + size)) Cached::Record;
  Cached made(record);
  record->size = size;
  record->version =
      found.version.to == 0 ? 0 : number_of(scan.between(found.version.from, found.version.to));
  record->metadata_at = kept(found.metadata.from);
  record->metadata_size = kept(found.metadata.to) - record->metadata_at;
  const auto place = [&](const Span& span, uint32_t& at, uint16_t& length) {
    at = span.to == 0 ? 0 : kept(span.from);
    length = uint16_t(span.size());
  };
  place(found.name, record->name_at, record->name_size);
  place(found.ns, record->ns_at, record->ns_size);
  place(found.uid, record->uid_at, record->uid_size);
  record->being_deleted = found.being_deleted;

  char* out = record->text();
  const auto append = [&out](std::string_view piece) {
    std::memcpy(out, piece.data(), piece.size());
    out += piece.size();
  };
  append("{");
  append(added);
  const size_t first_end = cut.to != 0 ? cut.from : found.object.to;
  append(scan.between(start + 1, first_end));
  if (cut.to != 0) append(scan.between(cut.to, found.object.to));
  return made;
}

/// Text that is minified, with nothing unusual about it but what no printing removes.
Result<Cached> ObjectReader::read_plain(std::string_view text) const {
  Scanner scan(text);
  Found found;
  if (!find(scan, found)) return not_an_object(scan);
  if (found.unusual) return Error(Fault::Invalid, "object with control characters in its metadata");
  return make(scan, found);
}

Result<Cached> ObjectReader::read(Scanner& scan) const {
  Found found;
  if (!find(scan, found)) return not_an_object(scan);
  if (!found.unusual && !scan.spaced()) return make(scan, found);
  const std::string_view text = scan.between(found.object.from, found.object.to);
  if (!found.unusual) return read_plain(minified(text));
  const auto parsed = HF_TRY(model::parse_json(text));
  return read_plain(model::to_json(parsed.value));
}

}  // namespace holdfast::kube
