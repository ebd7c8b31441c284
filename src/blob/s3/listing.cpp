//   first page ─ the last name is data/02/…: 1000 names took 3/256 of the names there can be,
//   so about 85 pages are left to come: (that name, data/08] (data/08, data/0e] … (data/fa, end)
//   are listed at once, each page by page.
#include "s3/listing.h"

#include <holdfast/base/mutex.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>

namespace holdfast::blob {
namespace {

constexpr size_t kLongestPage = size_t{16} << 20;
constexpr int kPairs = 256;
constexpr int kMostEmptyPages = 1000;

/// Keys after one, up to another and with it; "" = to the end.
struct Stretch {
  std::string after{}, last{};
};

class Listing {
 public:
  Listing(const Bucket& bucket, const std::string& prefix,
          const std::function<void(const Info&)>& each)
      : bucket_(bucket), prefix_(bucket.key(prefix)), thing_(prefix), each_(each) {}

  Result<void> run() {
    const ListPage first = HF_TRY(page({}, ""));
    hand_out(first, "");
    if (first.next.empty()) return ok();
    const std::string last = first.entries.empty() ? "" : first.entries.back().name;
    const std::vector<Stretch> stretches = spread(last);
    if (stretches.empty()) return go_on({last, ""}, first.next);
    return run_all(stretches);
  }

 private:
  Result<ListPage> page(const Stretch& stretch, const std::string& token) const;
  Result<void> go_on(const Stretch& stretch, std::string token);
  Result<void> run_all(const std::vector<Stretch>& stretches);
  std::vector<Stretch> spread(const std::string& last) const;
  /// False when the end of the stretch was seen.
  bool hand_out(const ListPage& page, const std::string& last);

  const Bucket& bucket_;
  const std::string prefix_, thing_;
  Mutex mutex_;
  const std::function<void(const Info&)>& each_;
};

Result<ListPage> Listing::page(const Stretch& stretch, const std::string& token) const {
  Ask ask{.query = {{"list-type", "2"}, {"encoding-type", "url"}, {"prefix", prefix_}},
          .longest_answer = kLongestPage,
          .verb = "LIST",
          .thing = thing_};
  if (!token.empty()) ask.query.emplace_back("continuation-token", token);
  if (token.empty() && !stretch.after.empty()) ask.query.emplace_back("start-after", stretch.after);
  const net::Response response = HF_TRY(bucket_.ask(ask));
  Result<ListPage> read = read_list(response.body);
  if (!read) return read.take_error().with_context(bucket_.naming(ask));
  return read;
}

bool Listing::hand_out(const ListPage& page, const std::string& last) {
  const Lock lock(mutex_);
  for (const Info& entry : page.entries) {
    if (!last.empty() && entry.name > last) return false;
    // A key that ends in a slash is how consoles draw a folder; no blob is called so.
    if (!entry.name.starts_with(prefix_) || entry.name.ends_with('/')) continue;
    each_({entry.name.substr(bucket_.above().size()), entry.size});
  }
  return true;
}

/// Names grow from page to page: a list that does not would never end.
Result<void> Listing::go_on(const Stretch& stretch, std::string token) {
  std::string seen = stretch.after;
  int empty = 0;
  for (bool first = true; first || !token.empty(); first = false) {
    const ListPage got = HF_TRY(page(stretch, token));
    empty = got.entries.empty() ? empty + 1 : 0;
    if (empty > kMostEmptyPages || (empty == 0 && got.entries.back().name <= seen)) {
      return Error(Fault::Corrupt, fmt::format("LIST {}: {}: the list goes on where it was", thing_,
                                               bucket_.text()));
    }
    if (!hand_out(got, stretch.last)) return ok();
    if (empty == 0) seen = got.entries.back().name;
    token = got.next;
  }
  return ok();
}

/// None where the next pages, one after the other, are soon done.
std::vector<Stretch> Listing::spread(const std::string& last) const {
  const std::string pair = last.substr(std::min(prefix_.size(), last.size()), 3);
  unsigned number = 0;
  const auto read = std::from_chars(pair.data(), pair.data() + pair.size(), number, 16);
  if (!prefix_.ends_with("/") || pair.size() != 3 || read.ptr != pair.data() + 2 || pair[2] != '/')
    return {};
  const int at = int(number);
  const int pages = kPairs / (at + 1);
  if (pages < 8) return {};
  const int count = std::min(pages / 2, kPairs - at - 1);
  std::vector<Stretch> out;
  std::string after = last;
  for (int i = 1; i < count; ++i) {
    const std::string boundary = fmt::format("{}{:02x}", prefix_, at + i * (kPairs - at) / count);
    out.push_back({after, boundary});
    after = boundary;
  }
  out.push_back({after, ""});
  return out;
}

Result<void> Listing::run_all(const std::vector<Stretch>& stretches) {
  std::atomic<size_t> next{0};
  Mutex mutex;
  std::optional<Error> failed;
  const auto work = [&] {
    for (size_t i = next++; i < stretches.size(); i = next++) {
      Result<void> done = go_on(stretches[i], "");
      if (done) continue;
      next = stretches.size();
      const Lock lock(mutex);
      if (!failed) failed = done.take_error();
    }
  };
  {
    std::vector<std::jthread> threads;
    const auto count = size_t(std::max(bucket_.settings().connections, 1));
    for (size_t i = 0; i < std::min(count, stretches.size()); ++i) threads.emplace_back(work);
  }
  if (failed) return std::move(*failed);
  return ok();
}

}  // namespace

Result<void> list_bucket(const Bucket& bucket, const std::string& prefix,
                         const std::function<void(const Info&)>& each) {
  return Listing(bucket, prefix, each).run();
}

}  // namespace holdfast::blob
