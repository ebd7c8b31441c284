/// An object as a cache keeps it: its minified text in one allocation, without managedFields, and
/// the few things that every lookup needs. A DOM would be four times the text.
#pragma once

#include <holdfast/model/object.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace holdfast::kube {

/// Counted reference to one immutable version of an object. Safe to share between threads.
class Cached {
 public:
  Cached() = default;  ///< no object
  /// From the text of one object, as a list or watch carries it: `managedFields` is left out and
  /// nothing else changes. Invalid if it is not an object with metadata.name.
  static Result<Cached> from_text(std::string_view text);
  static Result<Cached> from_value(const model::Value& object);

  explicit operator bool() const { return record_ != nullptr; }
  std::string_view ns() const;
  std::string_view name() const;
  std::string_view uid() const;
  uint64_t version() const;  ///< resourceVersion, as a number
  std::string_view text() const;
  /// The metadata that controllers match on; parsed on each call, without a DOM of the rest.
  model::Meta meta() const;
  model::Labels labels() const;       ///< those alone: what selectors ask for
  std::string_view metadata() const;  ///< its raw text
  /// The whole object; parsed on each call.
  model::Value value() const;
  /// The same for those who only read, pass after pass, the same few objects: the values that this
  /// thread asked for last are kept, within 256 KiB of text. Never null.
  std::shared_ptr<const model::Value> shared_value() const;
  bool being_deleted() const;
  size_t memory() const;  ///< bytes of the allocation

  Cached(const Cached& other);
  Cached(Cached&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  Cached& operator=(Cached other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~Cached();

 private:
  friend class ObjectReader;
  friend class RecentValues;
  struct Record;
  explicit Cached(Record* record) : record_(record) {}
  Record* record_ = nullptr;
};

/// "shop/web"; the name alone for objects without a namespace.
struct Key {
  std::string ns{}, name{};
  auto operator<=>(const Key&) const = default;
  std::string text() const { return ns.empty() ? name : ns + "/" + name; }
};

inline Key key_of(const Cached& object) {
  return {std::string(object.ns()), std::string(object.name())};
}

}  // namespace holdfast::kube
