// get, list and watch: what of the state a request sees, and at which revision.
#include "rest/list_options.h"
#include "rest/operations.h"
#include "rest/render.h"
#include "rest/watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

constexpr size_t kScanPage = 500;

Status too_large_version(Revision asked, Revision current) {
  Status status =
      model::timeout(fmt::format("Too large resource version: {}, current: {}", asked, current), 1);
  if (!status.details) status.details = Status::Details{};
  status.details->causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return status;
}

std::optional<std::string> scope(const Call& call) {
  if (!call.resource->namespaced || call.info.ns.empty()) return std::nullopt;
  return call.info.ns;
}

constexpr std::string_view kExpiredPage =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the "
    "continue parameter, or use the continue token in this response to retrieve the remainder of "
    "the results. Continuing "
    "with the provided token results in an inconsistent list - objects that were created, "
    "modified, or deleted between the "
    "time the first chunk was returned and now may show up in the list.";

// Reads pages until `limit` objects have passed the selectors (0 = all).
struct Collected {
  std::vector<StoredPtr> items;
  Revision revision = 0;
  bool more = false;
  int64_t remaining = 0;
};

Result<Collected> collect(const Store& store, Range range, const Resource& resource,
                          const ListOptions& options) {
  Collected out;
  const auto limit = size_t(options.limit);
  const bool filtered = !options.labels.empty() || !options.fields.empty();
  for (;;) {
    range.limit = filtered && limit != 0 ? kScanPage : limit;
    Page page = HF_TRY(store.list(range));
    out.revision = range.at = page.revision;
    for (size_t i = 0; i < page.items.size(); ++i) {
      if (filtered && !selected(*page.items[i], resource, options)) continue;
      if (limit != 0 && out.items.size() == limit) {
        out.more = true;
        return out;
      }
      out.items.push_back(std::move(page.items[i]));
    }
    out.remaining = page.remaining;
    out.more = page.more;
    if (!page.more || !filtered) return out;
    range.from_ns = page.next_ns;
    range.from_name = page.next_name;
  }
}

// A version with a limit meant that very version before resourceVersionMatch was there to say so.
bool is_exact(const ListOptions& options) {
  if (options.match == ListOptions::Match::Unset) return options.limit > 0;
  return options.match == ListOptions::Match::Exact;
}

Status expired(const std::optional<Continue>& from) {
  if (!from)
    return model::resource_expired("The resourceVersion for the provided list is too old.");
  Status status = model::resource_expired(std::string(kExpiredPage));
  status.continue_token = write_inconsistent_continue(*from);
  return status;
}

}  // namespace

Answer<Reply> get(Api& api, Call& call) {
  const View view = HF_TRY(negotiate(call.http));
  const ListOptions options = HF_TRY(read_list_options(call, false));
  if (options.revision > api.store.current())
    return too_large_version(options.revision, api.store.current());
  const Resource& resource = *call.resource;
  const StoredPtr stored =
      api.store.get({resource.storage, resource.namespaced ? call.info.ns : "", call.info.name});
  if (stored == nullptr) return model::not_found(resource.group_resource(), call.info.name);
  Reply reply;
  reply.body = render_object(*stored, resource, view, api.clock.now());
  reply.hold = stored->revision;
  return reply;
}

Answer<Reply> list(Api& api, Call& call) {
  const View view = HF_TRY(negotiate(call.http));
  const ListOptions options = HF_TRY(read_list_options(call, false));
  const Resource& resource = *call.resource;
  const std::optional<std::string> ns = scope(call);
  const bool all_namespaces = resource.namespaced && !ns;
  Range range{
      .resource = resource.storage, .ns = ns, .from_ns = "", .from_name = "", .limit = 0, .at = 0};
  if (is_exact(options)) range.at = options.revision;
  std::optional<Continue> from;
  if (!options.continue_token.empty()) {
    from = HF_TRY(read_continue(options.continue_token, all_namespaces));
    range.from_ns = all_namespaces ? from->ns : ns.value_or("");
    range.from_name = from->name;
    range.at = std::max<Revision>(from->revision, 0);
  }
  if (const Revision asked = std::max(options.revision, range.at); asked > api.store.current())
    return too_large_version(asked, api.store.current());

  Result<Collected> collected = collect(api.store, range, resource, options);
  if (!collected && collected.error().fault() == Fault::NotFound) return expired(from);
  if (!collected) return model::internal_error(collected.error().what());
  ListMeta meta;
  meta.revision = collected->revision;
  const bool filtered = !options.labels.empty() || !options.fields.empty();
  if (collected->more && !collected->items.empty()) {
    const Stored& last = *collected->items.back();
    meta.continue_token =
        write_continue(collected->revision, all_namespaces, last.meta.ns, last.meta.name);
    if (!filtered) meta.remaining = collected->remaining;
  }
  Reply reply;
  reply.body = render_list(collected->items, resource, view, meta, api.clock.now());
  reply.hold = collected->revision;
  return reply;
}

Answer<Reply> watch(Api& api, Call& call) {
  WatchRequest request;
  request.view = HF_TRY(negotiate(call.http));
  request.options = HF_TRY(read_list_options(call, true));
  request.resource = call.resource;
  request.ns = scope(call);
  request.name = call.info.name;
  Reply reply;
  reply.stream = as_body(HF_TRY(open_watch(api, std::move(request))));
  return reply;
}

}  // namespace holdfast::apiserver
