/// Forwarding store: the base of what is put around stores, in tests too.
#pragma once

#include <holdfast/blob/store.h>

#include <memory>

namespace holdfast::blob {

class Forwarding : public Store {
 public:
  explicit Forwarding(std::shared_ptr<Store> inner) : inner_(std::move(inner)) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    return inner_->put(name, bytes, options);
  }
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override {
    return inner_->read(name, range, into);
  }
  Result<Info> stat(const std::string& name) override { return inner_->stat(name); }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    return inner_->list(prefix, each);
  }
  Result<void> remove(const std::string& name) override { return inner_->remove(name); }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    return inner_->remove_all(names);
  }
  Abilities abilities() const override { return inner_->abilities(); }
  bool lists_at_once() const override { return inner_->lists_at_once(); }
  std::string text() const override { return inner_->text(); }

 protected:
  Store& inner() { return *inner_; }

 private:
  const std::shared_ptr<Store> inner_;
};

}  // namespace holdfast::blob
