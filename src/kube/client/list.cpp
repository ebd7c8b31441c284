// Lists, page by page: what a page token that ran out, a page that is too big and a server that
// never comes to an end do to one.
#include <holdfast/kube/client.h>

#include "client/failure.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

using model::Value;

constexpr int64_t kUsualLimit = 500;
// A selector may leave a page empty, but not one after the other for ever.
constexpr int kMostEmptyPages = 100;

std::string list_target(const Resource& resource, std::string_view ns, const ListOptions& options,
                        int64_t limit, std::string_view token) {
  std::string out = resource.path(ns, "");
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out += separator;
    out += name;
    out += '=';
    out += net::percent_encode(value);
    separator = '&';
  };
  add("labelSelector", options.label_selector);
  add("fieldSelector", options.field_selector);
  if (limit > 0) add("limit", std::to_string(limit));
  add("continue", token);
  // A page token carries its version; the server refuses both together.
  if (token.empty()) {
    add("resourceVersion", options.resource_version);
    add("resourceVersionMatch", options.resource_version_match);
  }
  return out;
}

/// Items of a built-in kind leave out what the list says for all of them.
void say_kind(Value& item, const Resource& resource) {
  model::Object* const object = item.if_object();
  if (object == nullptr || object->contains("kind")) return;
  object->emplace("apiVersion", resource.api_version());
  object->emplace("kind", resource.kind);
}

/// Where a list has come to.
struct Position {
  std::string token{};
  int64_t limit = 0;
  int empty_pages = 0;  ///< in a row
};

Failure odd_answer(const net::Call& call, std::string_view what) {
  return no_answer(call, Error(Fault::Invalid, fmt::format("{}: {}", text_of(call), what)));
}

/// True if the list can go on after all: with the fresh token that the server gave for the expired
/// one, or in smaller pages.
bool recovered(const Failure& failure, Position& at) {
  if (failure.error.fault() == Fault::Corrupt && at.limit != 1) {
    at.limit = std::max<int64_t>(1, (at.limit > 0 ? at.limit : kUsualLimit) / 10);
    return true;
  }
  const std::string_view fresh = model::string_at(failure.status, {"metadata", "continue"});
  if (!failure.expired() || fresh.empty() || fresh == at.token) return false;
  at.token = fresh;
  return true;
}

/// The items of a page, moved to where it ends.
Reply<model::Array> open_page(const net::Call& call, Value& page, Position& at) {
  Value* const items = model::find(page, {"items"});
  if (items == nullptr || (!items->is_array() && !items->is_null()))
    return odd_answer(call, "the answer has no items, it is no list");
  model::Array out;
  if (items->is_array()) out = std::move(items->get_array());
  at.empty_pages = out.empty() ? at.empty_pages + 1 : 0;
  const std::string_view next = model::string_at(page, {"metadata", "continue"});
  if (!next.empty() && (next == at.token || at.empty_pages > kMostEmptyPages))
    return odd_answer(call, "the list does not go on and does not end either");
  at.token = next;
  return out;
}

}  // namespace

Reply<std::string> Client::list(const Resource& resource, std::string_view ns,
                                const ListOptions& options,
                                const std::function<bool(Value)>& each) {
  std::string version;
  Position at{.limit = options.limit};
  for (;;) {
    net::Call call{.target = list_target(resource, ns, options, at.limit, at.token),
                   .headers = headers("")};
    if (options.metadata_only)
      call.headers.set("Accept",
                       "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    Reply<Value> page = send(call);
    if (!page && recovered(page.error(), at)) continue;
    if (!page) return page.take_error();
    model::Array items = HF_TRY(open_page(call, *page, at));
    if (version.empty()) version = model::string_at(*page, {"metadata", "resourceVersion"});
    for (Value& item : items) {
      say_kind(item, resource);
      if (!each(std::move(item))) return version;
    }
    if (at.token.empty()) return version;
  }
}

}  // namespace holdfast::kube
