#include "objects/reading.h"

#include <holdfast/base/sleep.h>

#include "objects/table_text.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using model::Array;
using model::Value;

constexpr const char* kTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
constexpr const char* kPage = "500";
constexpr auto kPause = 1000ms;

void add(std::string& target, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  target += target.find('?') == target.npos ? '?' : '&';
  target += fmt::format("{}={}", name, net::percent_encode(value));
}

std::string_view version_of(const Value& object) {
  const std::string_view own = model::string_at(object, {"metadata", "resourceVersion"});
  if (!own.empty()) return own;
  const Array& rows = model::array_at(object, {"rows"});
  return rows.empty() ? ""
                      : model::string_at(rows.front(), {"object", "metadata", "resourceVersion"});
}

/// Lines out of a stream of bytes.
class Lines {
 public:
  /// False as soon as `each` says so.
  bool take(std::string_view bytes, const std::function<bool(std::string_view)>& each) {
    rest_ += bytes;
    size_t begin = 0;
    for (size_t end = rest_.find('\n'); end != rest_.npos; end = rest_.find('\n', begin)) {
      if (end > begin && !each(std::string_view(rest_).substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    rest_.erase(0, begin);
    return true;
  }

 private:
  std::string rest_;
};

kube::Failure refusal(Value status) {
  kube::Failure failure{
      Error(Fault::Unavailable, std::string(model::string_at(status, {"message"})))};
  failure.code = int(model::int_at(status, {"code"}, 500));
  failure.reason = model::string_at(status, {"reason"});
  failure.status = std::move(status);
  return failure;
}

}  // namespace

std::string target_of(const Selection& selection) {
  std::string target = selection.kind->resource().path(selection.ns, selection.name);
  add(target, "labelSelector", selection.labels);
  add(target, "fieldSelector", selection.fields);
  return target;
}

Reading::Reading(Server& server)
    : server_(server),
      asking_(server.client().transport(), kTable),
      tables_(server.client().with(asking_, server.client().settings())) {}

kube::Failure Reading::better(kube::Failure failure, const Selection& selection) {
  if (!failure.not_found() || selection.name.empty() || selection.ns.empty()) return failure;
  auto ns = server_.client().get(kube::kNamespaces, "", selection.ns);
  return !ns && ns.error().not_found() ? ns.take_error() : std::move(failure);
}

kube::Reply<Value> Reading::table(const Selection& selection) {
  Value whole;
  std::string token;
  do {
    std::string target = target_of(selection);
    if (selection.name.empty()) add(target, "limit", kPage);
    add(target, "continue", token);
    auto reply = tables_.raw("GET", std::move(target), Value());
    if (!reply) return better(reply.take_error(), selection);
    Value page = reply.take();
    if (model::string_at(page, {"kind"}) != "Table")
      page = plain_table(page, server_.clock().now());
    const std::string next(model::string_at(page, {"metadata", "continue"}));
    if (whole.is_null())
      whole = std::move(page);
    else
      append_rows(whole, page);
    if (next == token) break;
    token = next;
  } while (!token.empty());
  return whole;
}

kube::Reply<Array> Reading::objects(const Selection& selection) {
  Array out;
  if (!selection.name.empty()) {
    auto one = server_.client().raw("GET", target_of(selection), Value());
    if (!one) return better(one.take_error(), selection);
    out.push_back(one.take());
    return out;
  }
  HF_TRY(server_.client().list(
      selection.kind->resource(), selection.ns,
      {.label_selector = selection.labels, .field_selector = selection.fields}, [&out](Value item) {
        out.push_back(std::move(item));
        return true;
      }));
  return out;
}

kube::Reply<void> Reading::follow(const Selection& selection, std::string version, bool tables,
                                  const OnChange& on_change) {
  Selection all = selection;
  if (!all.name.empty()) all.fields = "metadata.name=" + std::exchange(all.name, "");
  kube::Client& client = tables ? tables_ : server_.client();
  const Sleep pause = holdfast::sleep_until_stopped();
  bool wanted = true;
  std::optional<kube::Failure> refused;
  while (wanted && !refused) {
    std::string target = target_of(all);
    add(target, "watch", "true");
    add(target, "resourceVersion", version);
    Lines lines;
    const auto on_line = [&](std::string_view line) {
      Result<model::Parsed> event = model::parse_json(line);
      if (!event) return true;
      const std::string_view type = model::string_at(event->value, {"type"});
      const Value* object = model::find(event->value, {"object"});
      if (object == nullptr) return true;
      if (type == "ERROR") {
        refused.emplace(refusal(*object));
        return false;
      }
      if (const std::string_view seen = version_of(*object); !seen.empty()) version = seen;
      if (type != "BOOKMARK") wanted = on_change(type, *object);
      return wanted;
    };
    HF_TRY(client.stream(target, [&](std::string_view bytes) { return lines.take(bytes, on_line); },
                         {}));
    if (wanted && !refused) pause(kPause, {});
  }
  if (refused) return std::move(*refused);
  return {};
}

}  // namespace holdfast::cli
