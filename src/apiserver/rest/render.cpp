#include "rest/render.h"

#include <holdfast/base/text.h>

#include "rest/form.h"
#include "tables/printers.h"
#include "tables/table.h"

namespace holdfast::apiserver {
namespace {

struct MediaRange {
  std::string type;  // "application/json"
  std::string as, group, version;
};

std::vector<MediaRange> parse_accept(std::string_view header) {
  std::vector<MediaRange> ranges;
  for (const std::string_view clause : split(header, ',')) {
    MediaRange range;
    bool first = true;
    for (const std::string_view raw : split(clause, ';')) {
      const std::string_view part = trim(raw);
      if (first) range.type = to_lower(part);
      first = false;
      const size_t equals = part.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
      if (name == "as") range.as = value;
      if (name == "g") range.group = value;
      if (name == "v") range.version = value;
    }
    if (!range.type.empty()) ranges.push_back(std::move(range));
  }
  return ranges;
}

bool speaks(const MediaRange& range) {
  return range.type == "application/json" || range.type == "*/*" || range.type == "application/*";
}

Value partial_metadata(const Value& object) {
  Object partial{{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}};
  const Value* metadata = model::find(object, {"metadata"});
  partial["metadata"] = metadata != nullptr ? *metadata : Value(Object());
  return Value(std::move(partial));
}

// Custom kinds print from the version that is asked for, built-in kinds from the stored one.
Value table_row(const Stored& stored, const Resource& resource, View view, WallTime now) {
  Value object = parse_stored(stored);
  if (resource.is_custom()) convert_from_stored(object, resource);
  Object row{{"cells", table_cells(resource, object, now)}};
  if (model::Array conditions = table_conditions(resource, object); !conditions.empty())
    row["conditions"] = std::move(conditions);
  if (!resource.is_custom()) convert_from_stored(object, resource);
  if (view.include == View::Include::Metadata) row["object"] = partial_metadata(object);
  if (view.include == View::Include::Whole) row["object"] = object;
  if (view.include == View::Include::None) row["object"] = nullptr;
  return Value(std::move(row));
}

void append_list_meta(std::string& out, const ListMeta& meta) {
  out += "\"metadata\":{\"resourceVersion\":\"";
  out += std::to_string(meta.revision);
  out += '"';
  if (!meta.continue_token.empty()) out += ",\"continue\":\"" + meta.continue_token + "\"";
  if (meta.remaining >= 0) out += ",\"remainingItemCount\":" + std::to_string(meta.remaining);
  out += '}';
}

std::string table_text(const std::vector<StoredPtr>& items, const Resource& resource, View view,
                       const ListMeta& meta, WallTime now, bool columns) {
  std::string out = "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",";
  append_list_meta(out, meta);
  out += ",\"columnDefinitions\":";
  model::append_json(out, columns ? Value(table_columns(resource)) : Value(nullptr));
  // Go's nil slice: only kinds that have printers make theirs before the first row.
  if (items.empty() && !resource.is_custom() &&
      find_printer(resource.group, resource.kind) == nullptr)
    return out += ",\"rows\":null}";
  out += ",\"rows\":[";
  for (const StoredPtr& item : items) {
    if (out.back() != '[') out += ',';
    model::append_json(out, table_row(*item, resource, view, now));
  }
  return out += "]}";
}

// Items of built-in lists carry no kind and apiVersion of their own: the list says it.
void append_item(std::string& out, const Stored& stored, const Resource& resource) {
  std::string text = served_text(stored, resource);
  const std::string head =
      "{\"kind\":\"" + resource.kind + "\",\"apiVersion\":\"" + resource.api_version() + "\",";
  if (!resource.is_custom() && text.starts_with(head)) {
    out += '{';
    out.append(text, head.size());
  } else {
    out += text;
  }
}

Answer<void> check_include(std::string_view include) {
  if (include.empty() || include == "Metadata" || include == "Object" || include == "None")
    return {};
  return model::bad_request(
      "Unable to convert to Table as requested: includeObject: Invalid value: " + quoted(include) +
      ": must be 'Metadata', 'Object', 'None', or empty");
}

}  // namespace

Answer<View> negotiate(const net::Request& request) {
  View view;
  const std::string_view include = net::query_value(request.query, "includeObject");
  if (include == "None") view.include = View::Include::None;
  if (include == "Object") view.include = View::Include::Whole;
  const std::string_view accept = request.headers.get("Accept");
  if (accept.empty()) return view;
  for (const MediaRange& range : parse_accept(accept)) {
    if (!speaks(range)) continue;
    if (range.as.empty()) return view;
    if (range.group != "meta.k8s.io" || (range.version != "v1" && range.version != "v1beta1"))
      continue;
    if (range.as == "Table") {
      HF_TRY(check_include(include));
      view.form = View::Form::Table;
    } else if (range.as == "PartialObjectMetadata" || range.as == "PartialObjectMetadataList") {
      view.form = View::Form::Metadata;
    } else {
      continue;
    }
    return view;
  }
  return model::not_acceptable(
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf");
}

bool wants_aggregated_discovery(const net::Request& request) {
  for (const MediaRange& range : parse_accept(request.headers.get("Accept")))
    if (speaks(range) && range.as == "APIGroupDiscoveryList" &&
        range.group == "apidiscovery.k8s.io" && range.version == "v2")
      return true;
    else if (speaks(range) && range.as.empty())
      return false;
  return false;
}

std::string render_object(const Stored& stored, const Resource& resource, View view, WallTime now) {
  if (view.form == View::Form::Whole) return served_text(stored, resource);
  if (view.form == View::Form::Metadata)
    return model::to_json(partial_metadata(parse_stored(stored)));
  ListMeta meta;
  meta.revision = stored.revision;
  return table_text({std::make_shared<Stored>(stored)}, resource, view, meta, now, true);
}

std::string render_list(const std::vector<StoredPtr>& items, const Resource& resource, View view,
                        const ListMeta& meta, WallTime now) {
  if (view.form == View::Form::Table) return table_text(items, resource, view, meta, now, true);
  std::string out;
  size_t size = 256;
  for (const StoredPtr& item : items) size += item->text.size() + 1;
  out.reserve(size);
  if (view.form == View::Form::Metadata)
    out = "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",";
  else
    out = "{\"kind\":\"" + resource.list_kind + "\",\"apiVersion\":\"" + resource.api_version() +
          "\",";
  append_list_meta(out, meta);
  out += ",\"items\":[";
  for (const StoredPtr& item : items) {
    if (out.back() != '[') out += ',';
    if (view.form == View::Form::Metadata)
      model::append_json(out, partial_metadata(parse_stored(*item)));
    else
      append_item(out, *item, resource);
  }
  return out += "]}";
}

void render_event(std::string& out, std::string_view type, const Stored& stored,
                  const Resource& resource, View view, WallTime now, bool first) {
  out += "{\"type\":\"";
  out += type;
  out += "\",\"object\":";
  if (view.form == View::Form::Table) {
    ListMeta meta;
    meta.revision = stored.revision;
    out += table_text({std::make_shared<Stored>(stored)}, resource, view, meta, now, first);
  } else {
    out += render_object(stored, resource, view, now);
  }
  out += "}\n";
}

}  // namespace holdfast::apiserver
