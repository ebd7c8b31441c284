/// A reflector's lists: which page is asked for next, and what its answer means.
#include "reflect/state.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

constexpr int kPageSize = 500;
constexpr size_t kMostPages = 20000;
constexpr size_t kLongestPage = size_t(512) << 20;
constexpr std::chrono::milliseconds kListTimeout{120000};
constexpr std::chrono::milliseconds kHeaderTimeout{60000};

std::string_view accepted(const Scope& scope, bool list) {
  if (!scope.metadata_only) return "application/json";
  return list ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
              : "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
}

}  // namespace

net::Call Reflector::State::request(std::string query, bool list) const {
  const Scope& scope = informer.scope();
  const auto select = [&query](std::string_view name, const std::string& selector) {
    if (!selector.empty()) query += fmt::format("&{}={}", name, net::percent_encode(selector));
  };
  select("labelSelector", scope.label_selector);
  select("fieldSelector", scope.field_selector);
  net::Call call;
  call.target = scope.resource.path(scope.ns, "") + "?" + query;
  call.headers.set("Accept", accepted(scope, list));
  call.headers.set("User-Agent", user_agent);
  call.timeout = list ? kListTimeout : kHeaderTimeout;
  call.max_response = kLongestPage;
  return call;
}

net::Call Reflector::State::list_call() {
  if (pages == 0 && page_token.empty()) ++lists;
  std::string query = whole ? std::string("limit=0") : fmt::format("limit={}", kPageSize);
  if (!page_token.empty()) {
    query += "&continue=" + net::percent_encode(page_token);
  } else if (version_gone) {
    // No version asks for the newest state there is.
  } else if (version == 0) {
    query += "&resourceVersion=0";
  } else {
    query += fmt::format("&resourceVersion={}&resourceVersionMatch=NotOlderThan", version);
  }
  return request(std::move(query), true);
}

net::Call Reflector::State::watch_call() {
  // Random, so that the watches of many clients do not end together.
  const bool streaming = mode == Mode::Streaming;
  const uint64_t least = streaming ? 60 : 300;
  std::string query = fmt::format("watch=true&allowWatchBookmarks=true&timeoutSeconds={}",
                                  least + random.below(least + 1));
  if (streaming) {
    ++lists;
    query += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  }
  if (!streaming || (version != 0 && !version_gone))
    query += fmt::format("&resourceVersion={}", version);
  return request(std::move(query), false);
}

void Reflector::State::begin_list() {
  gathered = {};
  gone = {};
  page_token.clear();
  pages = 0;
  list_bytes = 0;
  list_version = 0;
}

void Reflector::State::list_answered(const net::Response& answer, MonoTime now) {
  if (answer.status >= 300)
    return page_refused(read_refusal(answer.status, answer.body), retry_after(answer), now);
  auto page = read_list(answer.body, reader);
  if (page) return page_arrived(page.take(), answer.body.size(), now);
  begin_list();
  pause(now, "list: " + page.error().what());
}

void Reflector::State::page_refused(const Refusal& refused, std::chrono::seconds wait,
                                    MonoTime now) {
  const bool first = page_token.empty();
  const bool asked_for_version = first && !version_gone;
  if (refused.expired() && !first) {
    // The rest of this list is no more; the pages we have belong to a state that is gone.
    begin_list();
    version_gone = true;
    whole = true;
    return;
  }
  if (asked_for_version && (refused.expired() || refused.version_too_large)) {
    version_gone = true;
    return;
  }
  // A page that the server will not give for our token needs another token.
  if (!first && refused.code >= 400 && refused.code < 500 && refused.code != 429) begin_list();
  pause(now, fmt::format("list: {} {}", refused.code, refused.message), wait, refused.code);
}

void Reflector::State::page_arrived(ListPage page, size_t bytes, MonoTime now) {
  ++pages;
  list_bytes += bytes;
  if (list_version == 0) list_version = page.version;
  std::string defect_found;
  if (page.version == 0) {
    defect_found = "answer without a resourceVersion";
  } else if (!version_gone && list_version < version) {
    defect_found = fmt::format("server went back from version {} to {}", version, list_version);
  } else if (!page.next.empty() && (page.items.empty() || page.next == page_token)) {
    defect_found = "page that leads nowhere";
  } else if (pages > kMostPages || list_bytes > kLongestList) {
    defect_found = fmt::format("no end after {} pages, {} bytes", pages, list_bytes);
  }
  if (!defect_found.empty()) {
    version_gone = true;
    begin_list();
    return pause(now, "list: " + defect_found);
  }
  for (Cached& item : page.items) gather(std::move(item));
  page_token = std::move(page.next);
  if (page_token.empty()) complete_list();
}

/// An object that we have already in this version is kept once.
void Reflector::State::gather(Cached object) {
  if (version != 0) {
    Cached known = informer.get(object.ns(), object.name());
    if (known && known.uid() == object.uid() && known.version() == object.version())
      object = std::move(known);
  }
  gathered.push_back(std::move(object));
}

void Reflector::State::complete_list() {
  version = list_version;
  version_gone = false;
  whole = false;
  refused_in_a_row = 0;
  mode = Mode::Watching;
  set_trouble("");
  std::vector<Cached> all = std::move(gathered);
  begin_list();
  informer.replace(std::move(all), version);
}

}  // namespace holdfast::kube
