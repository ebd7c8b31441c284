// A continue token is base64url of {"v":"meta.k8s.io/v1","rv":N,"start":"KEY\u0000"}; KEY is /NAME,
// or /NS/NAME when the list spans namespaces; the zero byte makes it the first key after KEY. In
// place of an expired token comes one with rv -1 and no leading slash; both forms are read.
#include "rest/list_options.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>

#include "kinds/field_labels.h"
#include "rest/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::apiserver {
namespace {

bool parse_bool(std::string_view text) {
  return text != "false" && text != "0" && text != "f" && text != "F" && text != "False" &&
         text != "FALSE";
}

Status bad_options(std::string field, Value value, std::string detail, bool forbidden) {
  model::FieldErrors errors;
  if (forbidden)
    errors.push_back(model::forbidden_field(std::move(field), std::move(detail)));
  else
    errors.push_back(model::invalid_field(std::move(field), std::move(value), std::move(detail)));
  return model::invalid({"meta.k8s.io", "ListOptions"}, "", errors);
}

Status bad_version(std::string_view version, bool watch) {
  const std::string why = fmt::format(
      "resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing \"{0}\": "
      "invalid syntax",
      version);
  if (!watch) return model::bad_request("invalid resource version: " + why);
  return Status{.code = 500, .reason = "", .message = why, .details = std::nullopt};
}

Answer<void> check_match(const ListOptions& options, std::string_view match, bool watch) {
  if (match.empty()) return {};
  if (options.resource_version.empty() && !(watch && options.send_initial_events))
    return bad_options("resourceVersionMatch", nullptr,
                       "resourceVersionMatch is forbidden unless resourceVersion is provided",
                       true);
  if (!options.continue_token.empty())
    return bad_options("resourceVersionMatch", nullptr,
                       "resourceVersionMatch is forbidden when continue is provided", true);
  if (options.match == ListOptions::Match::Unset)
    return model::invalid({"meta.k8s.io", "ListOptions"}, "",
                          {model::unsupported_field("resourceVersionMatch", Value(match),
                                                    {"Exact", "NotOlderThan", ""})});
  if (options.match == ListOptions::Match::Exact && options.resource_version == "0")
    return bad_options("resourceVersionMatch", nullptr,
                       "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                       true);
  return {};
}

Answer<void> check_initial_events(const ListOptions& options, std::string_view match, bool watch) {
  if (!options.send_initial_events) {
    if (watch && !match.empty())
      return bad_options(
          "resourceVersionMatch", nullptr,
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided", true);
    return {};
  }
  if (!watch)
    return bad_options("sendInitialEvents", nullptr, "sendInitialEvents is forbidden for list",
                       true);
  if (match != "NotOlderThan")
    return bad_options("resourceVersionMatch", nullptr,
                       "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                       true);
  return {};
}

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

Answer<void> read_one(ListOptions& options, const std::string& name, const std::string& value) {
  int64_t number = 0;
  if (name == "limit" || name == "timeoutSeconds") {
    if (value.empty()) return {};
    if (!parse_number(value, number))
      return model::bad_request(
          fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", value));
    if (name == "limit")
      options.limit = number;
    else
      options.timeout_seconds = number;
  } else if (name == "continue") {
    options.continue_token = value;
  } else if (name == "resourceVersion") {
    options.resource_version = value;
  } else if (name == "resourceVersionMatch") {
    if (value == "Exact") options.match = ListOptions::Match::Exact;
    if (value == "NotOlderThan") options.match = ListOptions::Match::NotOlderThan;
  } else if (name == "sendInitialEvents") {
    options.send_initial_events = parse_bool(value);
  } else if (name == "allowWatchBookmarks") {
    options.bookmarks = parse_bool(value);
  }
  return {};
}

Answer<void> read_selectors(ListOptions& options, const Call& call) {
  const std::string labels(net::query_value(call.http.query, "labelSelector"));
  if (!labels.empty()) {
    Result<model::LabelSelector> parsed = model::LabelSelector::parse(labels);
    if (!parsed) return model::bad_request(parsed.error().what());
    options.labels = std::move(*parsed);
  }
  const std::string fields(net::query_value(call.http.query, "fieldSelector"));
  if (!fields.empty()) {
    Result<model::FieldSelector> parsed = model::FieldSelector::parse(fields);
    if (!parsed) return model::bad_request(parsed.error().what());
    options.fields = std::move(*parsed);
  }
  for (const model::FieldSelector::Term& term : options.fields.terms())
    if (!is_field_label(*call.resource, term.field))
      return model::bad_request(unsupported_field_label(*call.resource, term.field));
  return {};
}

}  // namespace

Answer<ListOptions> read_list_options(const Call& call, bool watch) {
  ListOptions options;
  for (const auto& [name, value] : call.http.query) HF_TRY(read_one(options, name, value));
  HF_TRY(read_selectors(options, call));
  const std::string_view match = net::query_value(call.http.query, "resourceVersionMatch");
  HF_TRY(check_initial_events(options, match, watch));
  HF_TRY(check_match(options, match, watch));
  if (!options.resource_version.empty() && options.resource_version != "0") {
    if (!options.continue_token.empty())
      return model::bad_request("specifying resource version is not allowed when using continue");
    if (!parse_number(options.resource_version, options.revision) || options.revision < 0)
      return bad_version(options.resource_version, watch);
  }
  return options;
}

bool selected(const Stored& stored, const Resource& resource, const ListOptions& options) {
  if (!options.labels.empty() && !options.labels.matches(stored.meta.labels)) return false;
  if (options.fields.empty()) return true;
  Value object;  // parsed only if a field beyond the metadata is asked for
  return options.fields.matches([&](std::string_view field) -> std::string {
    if (field == "metadata.name") return stored.meta.name;
    if (field == "metadata.namespace") return stored.meta.ns;
    if (object.is_null()) object = to_served(stored, resource);
    return field_label(resource, object, field);
  });
}

namespace {

std::string token_of(Revision revision, const std::string& start) {
  return base64url(
      model::to_json(Value(Object{{"v", "meta.k8s.io/v1"}, {"rv", revision}, {"start", start}})));
}

// Whether the path has no empty step, no "." and no "..": what Go's path.Clean leaves as it is.
bool is_clean(std::string_view path) {
  if (path.empty()) return true;
  for (const std::string_view step : split(path, '/'))
    if (step.empty() || step == "." || step == "..") return false;
  return true;
}

// Where Go's decoder of base64url stops.
size_t bad_byte(std::string_view token) {
  const auto known = [](char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
  };
  return size_t(std::find_if_not(token.begin(), token.end(), known) - token.begin());
}

}  // namespace

std::string write_continue(Revision revision, bool all_namespaces, const std::string& last_ns,
                           const std::string& last_name) {
  std::string start = all_namespaces ? "/" + last_ns + "/" + last_name : "/" + last_name;
  start += '\0';
  return token_of(revision, start);
}

std::string write_inconsistent_continue(const Continue& expired) {
  return token_of(-1, expired.start);
}

Answer<Continue> read_continue(const std::string& token, bool all_namespaces) {
  const auto refuse = [](std::string_view why) {
    return model::bad_request(
        fmt::format("invalid continue token: continue key is not valid: {}", why));
  };
  const std::optional<std::string> bytes = from_base64url(token);
  if (!bytes) return refuse(fmt::format("illegal base64 data at input byte {}", bad_byte(token)));
  Result<model::Parsed> parsed = model::parse_json(*bytes);
  if (!parsed) return refuse(parsed.error().what());
  if (const std::string_view version = model::string_at(parsed->value, {"v"});
      version != "meta.k8s.io/v1")
    return refuse(fmt::format("server does not recognize this encoded version {}", version));
  Continue from;
  from.revision = model::int_at(parsed->value, {"rv"}, 0);
  if (from.revision == 0)
    return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  const std::string given(model::string_at(parsed->value, {"start"}));
  if (given.empty()) return refuse("encoded start key empty (version meta.k8s.io/v1)");
  from.start = given.starts_with('/') ? given.substr(1) : given;
  if (!is_clean(from.start)) return refuse(given);
  if (!all_namespaces) {
    from.name = from.start;
    return from;
  }
  const size_t slash = from.start.find('/');
  from.ns = from.start.substr(0, slash);
  if (slash != std::string::npos) from.name = from.start.substr(slash + 1);
  return from;
}

}  // namespace holdfast::apiserver
