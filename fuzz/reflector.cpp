// Messages of a server to a reflector: pages of lists, lines of watches, cut into pieces anywhere.
// Nothing a server says may crash it or make it keep text that later readers cannot read.
//
//   input: 1 byte: bit 0 list or watch, bit 1 the list is streamed, bits 2-7 size of the pieces;
//          then what the server sends
#include <holdfast/base/result.h>
#include <holdfast/kube/reflector.h>

#include <string_view>

using namespace holdfast;
using namespace holdfast::kube;

namespace {

constexpr std::string_view kFirstList =
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"3\"}}}\n"
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\",\"annotations\":{"
    "\"k8s.io/initial-events-end\":\"true\"}}}}\n";

void check(const Cached& object) {
  HF_CHECK(!object.name().empty());
  const model::Value value = object.value();
  HF_CHECK(value.is_object());
  HF_CHECK(model::string_at(value, {"metadata", "name"}) == object.name());
  HF_CHECK(model::string_at(value, {"metadata", "namespace"}) == object.ns());
  HF_CHECK(model::string_at(value, {"metadata", "uid"}) == object.uid());
  HF_CHECK(model::find(value, {"metadata", "managedFields"}) == nullptr);
  HF_CHECK(model::find(value, {"kind"}) != nullptr);
  HF_CHECK(model::find(value, {"apiVersion"}) != nullptr);
  HF_CHECK(object.being_deleted() ==
           !model::string_at(value, {"metadata", "deletionTimestamp"}).empty());
  const model::Meta meta = object.meta(), expected = model::meta_of(value);
  HF_CHECK(meta.name == expected.name && meta.finalizers.size() == expected.finalizers.size());
  std::vector<std::string> owners;
  index_by_controller(object, owners);
  // What was kept once is kept the same the next time.
  const auto again = Cached::from_text(object.text());
  HF_CHECK(bool(again));
  HF_CHECK(again->text() == object.text());
}

void list(Reflector& reflector, std::string_view bytes) {
  // A server that does not stream its lists.
  reflector.ended(net::Response{.status = 422}, MonoTime(0));
  reflector.listed(net::Response{.body = std::string(bytes)}, MonoTime(0));
}

void watch(Reflector& reflector, std::string_view bytes, size_t piece) {
  bool open = true;
  for (size_t at = 0; open && at < bytes.size(); at += piece)
    open = reflector.received(bytes.substr(at, piece), MonoTime(0));
  reflector.ended(net::Response{}, MonoTime(0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  SeededRandom random(1);
  Informer informer({.resource = kPods});
  informer.add_index(kByController, index_by_controller);
  informer.on_change([](const Change& change) { check(change.object()); });
  Reflector reflector(informer, random);
  reflector.next(MonoTime(0));
  if ((data[0] & 1) != 0) {
    list(reflector, bytes);
  } else {
    if ((data[0] & 2) == 0) reflector.received(kFirstList, MonoTime(0));
    watch(reflector, bytes, 1 + size_t(data[0] >> 2));
  }
  const auto next = reflector.next(MonoTime(std::chrono::hours(1)));
  HF_CHECK(next.what != Reflector::Next::Do::Wait);
  HF_CHECK(informer.list().size() == informer.size());
  for (const Cached& object : informer.list()) check(object);
  return 0;
}
