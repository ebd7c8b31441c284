#include <holdfast/kube/cached.h>

#include "cache/object_reader.h"
#include "cache/recent_values.h"
#include "cache/record.h"

#include <charconv>

namespace holdfast::kube {
namespace {

/// Calls `each(key, raw value)` for the members of an object in text that is known to be good.
template <class Each>
void members(std::string_view object, Each each) {
  Scanner scan(object);
  std::string_view key;
  if (!scan.enter('{')) return;
  while (scan.member(key)) {
    const size_t from = scan.position();
    if (!scan.skip()) return;
    each(key, scan.between(from, scan.position()));
  }
}

template <class Each>
void elements(std::string_view array, Each each) {
  Scanner scan(array);
  if (!scan.enter('[')) return;
  while (scan.element()) {
    const size_t from = scan.position();
    if (!scan.skip()) return;
    each(scan.between(from, scan.position()));
  }
}

/// "" when the value is no string.
std::string text_of(std::string_view raw) {
  return raw.size() >= 2 && raw.front() == '"' ? unescaped(raw.substr(1, raw.size() - 2))
                                               : std::string();
}

model::Labels read_labels(std::string_view object) {
  model::Labels labels;
  members(object, [&](std::string_view key, std::string_view raw) {
    if (raw.front() == '"') labels.emplace_back(unescaped(key), text_of(raw));
  });
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(labels.begin(), labels.end(), by_key))
    std::sort(labels.begin(), labels.end(), by_key);
  return labels;
}

model::OwnerReference read_owner(std::string_view object) {
  model::OwnerReference owner;
  members(object, [&](std::string_view key, std::string_view raw) {
    if (key == "apiVersion") owner.api_version = text_of(raw);
    if (key == "kind") owner.kind = text_of(raw);
    if (key == "name") owner.name = text_of(raw);
    if (key == "uid") owner.uid = text_of(raw);
    if (key == "controller") owner.controller = raw == "true";
    if (key == "blockOwnerDeletion") owner.block_owner_deletion = raw == "true";
  });
  return owner;
}

}  // namespace

Result<Cached> Cached::from_text(std::string_view text) {
  Scanner scan(text);
  Cached object = HF_TRY(ObjectReader().read(scan));
  if (!scan.at_end()) return Error(Fault::Invalid, "more text behind the object");
  return object;
}

Result<Cached> Cached::from_value(const model::Value& object) {
  return from_text(model::to_json(object));
}

std::string_view Cached::ns() const {
  return record_ == nullptr ? std::string_view() : record_->part(record_->ns_at, record_->ns_size);
}

std::string_view Cached::name() const {
  return record_ == nullptr ? std::string_view()
                            : record_->part(record_->name_at, record_->name_size);
}

std::string_view Cached::uid() const {
  return record_ == nullptr ? std::string_view()
                            : record_->part(record_->uid_at, record_->uid_size);
}

uint64_t Cached::version() const { return record_ == nullptr ? 0 : record_->version; }

std::string_view Cached::text() const {
  return record_ == nullptr ? std::string_view() : record_->part(0, record_->size);
}

std::string_view Cached::metadata() const {
  return record_ == nullptr ? std::string_view()
                            : record_->part(record_->metadata_at, record_->metadata_size);
}

model::Labels Cached::labels() const { return read_labels(member_of(metadata(), "labels")); }

model::Meta Cached::meta() const {
  model::Meta meta;
  members(metadata(), [&](std::string_view key, std::string_view raw) {
    if (key == "namespace") meta.ns = text_of(raw);
    if (key == "name") meta.name = text_of(raw);
    if (key == "uid") meta.uid = text_of(raw);
    if (key == "resourceVersion") meta.resource_version = text_of(raw);
    if (key == "deletionTimestamp") meta.deletion_timestamp = text_of(raw);
    if (key == "generation") std::from_chars(raw.data(), raw.data() + raw.size(), meta.generation);
    if (key == "labels") meta.labels = read_labels(raw);
    if (key == "finalizers")
      elements(raw, [&](std::string_view each) { meta.finalizers.push_back(text_of(each)); });
    if (key == "ownerReferences")
      elements(raw, [&](std::string_view each) { meta.owners.push_back(read_owner(each)); });
  });
  return meta;
}

model::Value Cached::value() const {
  if (record_ == nullptr) return {};
  auto parsed = model::parse_json(text());
  return parsed ? std::move(parsed->value) : model::Value();
}

std::shared_ptr<const model::Value> Cached::shared_value() const {
  thread_local RecentValues recent;
  return recent.get(*this);
}

bool Cached::being_deleted() const { return record_ != nullptr && record_->being_deleted; }

size_t Cached::memory() const { return record_ == nullptr ? 0 : sizeof(Record) + record_->size; }

Cached::Cached(const Cached& other) : record_(other.record_) {
  if (record_ != nullptr) record_->refs.fetch_add(1, std::memory_order_relaxed);
}

Cached::~Cached() {
  if (record_ == nullptr || record_->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  record_->~Record();
  ::operator delete(record_);
}

}  // namespace holdfast::kube
