/// ConfigMap and Secret: named bytes.
#include <holdfast/base/bytes.h>

#include "kinds/core/core.h"
#include "kinds/place.h"

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr int64_t kMaxBytes = int64_t(1) << 20;
constexpr std::string_view kFrozen = "field is immutable when `immutable` is set";

size_t decoded_size(std::string_view base64_text) {
  if (base64_text.size() < 4) return 0;
  const size_t padding = base64_text.ends_with("==") ? 2 : base64_text.ends_with('=') ? 1 : 0;
  return base64_text.size() / 4 * 3 - padding;
}

void check_key(std::string_view name, const Place& entry) {
  for (std::string& complaint : model::check_config_map_key(name))
    entry.invalid(Value(name), std::move(complaint));
}

const Value& member(const Value& object, std::string_view name) {
  static const Value absent;
  const Value* found = model::find(object, {name});
  return found == nullptr ? absent : *found;
}

/// What an object that said `immutable: true` may not change.
void check_frozen(const Place& object, const Value& old,
                  std::initializer_list<std::string_view> members) {
  if (!model::bool_at(old, {"immutable"}, false)) return;
  if (!object["immutable"].flag()) object["immutable"].forbidden(std::string(kFrozen));
  for (std::string_view name : members)
    if (!model::equal(object[name].value(), member(old, name)))
      object[name].forbidden(std::string(kFrozen));
}

void validate_config_map(const Value& object, model::FieldErrors& errors) {
  const Place map(object, errors);
  size_t total = 0;
  map["data"].each_entry([&](std::string_view name, const Place& entry) {
    check_key(name, entry);
    if (map["binaryData"].members().contains(name))
      entry.invalid(Value(name), "duplicate of key present in binaryData");
    total += entry.text().size();
  });
  map["binaryData"].each_entry([&](std::string_view name, const Place& entry) {
    check_key(name, entry);
    total += decoded_size(entry.text());
  });
  if (total > size_t{kMaxBytes}) map.as("[]").too_long(kMaxBytes);
}

void validate_config_map_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  check_frozen(Place(object, errors), old, {"data", "binaryData"});
  validate_config_map(object, errors);
}

/// stringData is only ever written: it becomes data, over what data says.
void default_secret(Value& secret) {
  default_member(secret, "type", "Opaque");
  const Value* plain = model::find(secret, {"stringData"});
  if (plain == nullptr) return;
  const model::Object texts = model::object_at(*plain, {});
  secret.get_object().erase("stringData");
  if (texts.empty()) return;
  Value& data = object_member(secret, "data");
  for (const auto& text : texts)
    data.get_object()[text.key()] = base64(model::string_at(text.value(), {}));
  sort_members(data);
}

/// A member of data that must hold a JSON object.
void check_json(const Place& entry) {
  if (!entry.present()) return entry.required();
  const auto redacted = [&](std::string detail) {
    entry.invalid(Value("<secret contents redacted>"), std::move(detail));
  };
  const auto bytes = from_base64(entry.text());
  const auto parsed = model::parse_json(bytes.value_or(""));
  if (!parsed) return redacted(parsed.error().what());
  const Value& value = parsed->value;
  if (value.is_object() || value.is_null()) return;
  const std::string_view word = value.is_string()  ? "string"
                                : value.is_array() ? "array"
                                : value.is_bool()  ? "bool"
                                                   : "number";
  redacted("json: cannot unmarshal " + std::string(word) +
           " into Go value of type map[string]interface {}");
}

void check_typed_secret(const Place& secret) {
  const std::string_view type = secret["type"].text();
  const Place data = secret["data"];
  const auto need = [&](std::string_view name) {
    if (!data.members().contains(name)) data.entry(name).required();
  };
  if (type == "kubernetes.io/service-account-token") {
    secret["metadata"]["annotations"].entry("kubernetes.io/service-account.name").need();
  } else if (type == "kubernetes.io/dockercfg") {
    check_json(data.entry(".dockercfg"));
  } else if (type == "kubernetes.io/dockerconfigjson") {
    check_json(data.entry(".dockerconfigjson"));
  } else if (type == "kubernetes.io/basic-auth") {
    if (data.members().contains("username") || data.members().contains("password")) return;
    need("username");
    need("password");
  } else if (type == "kubernetes.io/ssh-auth") {
    data.entry("ssh-privatekey").need();
  } else if (type == "kubernetes.io/tls") {
    need("tls.crt");
    need("tls.key");
  }
}

void validate_secret(const Value& object, model::FieldErrors& errors) {
  const Place secret(object, errors);
  size_t total = 0;
  secret["data"].each_entry([&](std::string_view name, const Place& entry) {
    check_key(name, entry);
    total += decoded_size(entry.text());
  });
  if (total > size_t{kMaxBytes}) secret["data"].too_long(kMaxBytes);
  check_typed_secret(secret);
}

void validate_secret_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place secret(object, errors);
  immutable(secret["type"], member(old, "type"));
  check_frozen(secret, old, {"data"});
  validate_secret(object, errors);
}

}  // namespace

constinit const KindRules kConfigMap = {
    .group = "",
    .kind = "ConfigMap",
    .validate = validate_config_map,
    .validate_update = validate_config_map_update,
};

constinit const KindRules kSecret = {
    .group = "",
    .kind = "Secret",
    .set_defaults = default_secret,
    .validate = validate_secret,
    .validate_update = validate_secret_update,
};

}  // namespace holdfast::apiserver::core
