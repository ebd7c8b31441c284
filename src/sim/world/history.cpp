#include <holdfast/sim/history.h>

#include "world/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::sim {

// Its stream says when there may be more, so that a commit costs only the streams it concerns.
struct History::Follower {
  std::shared_ptr<net::BodyStream> stream;
  bool woken = true;
  std::string text;
};

History::History(std::vector<kube::Resource> resources) : resources_(std::move(resources)) {}

History::~History() {
  for (const auto& follower : followers_) follower->stream->set_waker({});
}

Result<std::unique_ptr<History>> History::make(Server& server,
                                               std::vector<kube::Resource> resources) {
  std::unique_ptr<History> history(new History(std::move(resources)));
  history->now_.resize(history->resources_.size());
  for (const kube::Resource& resource : history->resources_) {
    net::Call call;
    call.target = resource.path("", "") + "?watch=true&timeoutSeconds=100000000";
    net::Response answer = server.ask(administrator("history"), call);
    if (answer.stream == nullptr)
      return Error(Fault::Internal, fmt::format("watch {}: {}", resource.text(), answer.body));
    auto follower = std::make_unique<Follower>();
    follower->stream = std::move(answer.stream);
    follower->stream->set_waker([woken = &follower->woken] { *woken = true; });
    history->followers_.push_back(std::move(follower));
  }
  history->catch_up();
  return history;
}

size_t History::index_of(std::string_view plural) const {
  size_t at = 0;
  while (at < resources_.size() && resources_[at].plural != plural) ++at;
  HF_CHECK(at < resources_.size() && "the history follows it");
  return at;
}

ObjectPtr History::get(std::string_view plural, std::string_view ns, std::string_view name) const {
  const Objects& all = now(plural);
  const auto found = all.find({std::string(ns), std::string(name)});
  return found == all.end() ? nullptr : found->second;
}

void History::catch_up() {
  std::vector<Commit> fresh;
  for (size_t i = 0; i < followers_.size(); ++i) {
    Follower& follower = *followers_[i];
    if (!follower.woken) continue;
    follower.woken = false;
    follower.text.clear();
    while (follower.stream->read(follower.text) == net::BodyStream::State::Ready) {
    }
    size_t from = 0;
    for (size_t end; (end = follower.text.find('\n', from)) != std::string::npos; from = end + 1)
      take_line(i, std::string_view(follower.text).substr(from, end - from), fresh);
  }
  std::sort(fresh.begin(), fresh.end(),
            [](const Commit& a, const Commit& b) { return a.version < b.version; });
  for (Commit& commit : fresh) {
    Objects& objects = now_[commit.resource];
    ObjectPtr& there = objects[commit.key];
    commit.before = there;
    there = commit.object;
    if (commit.kind == Commit::Kind::Deleted) objects.erase(commit.key);
    commits_.push_back(std::move(commit));
  }
}

void History::take_line(size_t resource, std::string_view line, std::vector<Commit>& out) {
  Result<model::Parsed> parsed = model::parse_json(line);
  HF_CHECK(parsed);
  const std::string_view type = model::string_at(parsed->value, {"type"});
  if (type == "BOOKMARK") return;
  HF_CHECK(type != "ERROR");
  model::Value* object = model::find(parsed->value, {"object"});
  HF_CHECK(object != nullptr);
  Commit commit;
  commit.kind = type == "ADDED"      ? Commit::Kind::Created
                : type == "MODIFIED" ? Commit::Kind::Changed
                                     : Commit::Kind::Deleted;
  model::erase(*object, {"metadata", "managedFields"});
  const std::string_view version = model::string_at(*object, {"metadata", "resourceVersion"});
  std::from_chars(version.data(), version.data() + version.size(), commit.version);
  commit.resource = resource;
  commit.key = {std::string(model::string_at(*object, {"metadata", "namespace"})),
                std::string(model::string_at(*object, {"metadata", "name"}))};
  commit.uid = model::string_at(*object, {"metadata", "uid"});
  commit.object = std::make_shared<const model::Value>(std::move(*object));
  out.push_back(std::move(commit));
}

std::string History::list_at(size_t resource, uint64_t version) const {
  Objects then;
  for (const Commit& commit : commits_) {
    if (commit.version > version) break;
    if (commit.resource != resource) continue;
    if (commit.kind == Commit::Kind::Deleted)
      then.erase(commit.key);
    else
      then[commit.key] = commit.object;
  }
  const kube::Resource& what = resources_[resource];
  std::string text =
      fmt::format(R"({{"apiVersion":"{}","kind":"{}List","metadata":{{"resourceVersion":"{}"}},)"
                  R"("items":[)",
                  what.api_version(), what.kind, version);
  for (const auto& [key, object] : then) {
    if (text.back() != '[') text += ',';
    model::append_json(text, *object);
  }
  return text + "]}";
}

}  // namespace holdfast::sim
