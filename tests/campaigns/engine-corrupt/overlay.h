/// A store of which some names are changed for a round.
#pragma once

#include <holdfast/blob/store.h>

#include <map>

namespace holdfast::campaign {

/// Not for several writers: rounds change it, then others read.
class Overlay final : public blob::Store {
 public:
  explicit Overlay(std::map<std::string, std::string> whole) : whole_(std::move(whole)) {}

  const std::map<std::string, std::string>& whole() const { return whole_; }
  void reset() { changed_.clear(); }
  void change(const std::string& name, std::string bytes) { changed_[name] = std::move(bytes); }
  void drop(const std::string& name) { changed_[name].reset(); }

  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions&) override {
    changed_[name] = std::string(bytes);
    return ok();
  }
  Result<void> read(const std::string& name, std::optional<blob::Range> range,
                    std::string& into) override;
  Result<blob::Info> stat(const std::string& name) override;
  Result<void> list(const std::string& prefix,
                    const std::function<void(const blob::Info&)>& each) override;
  Result<void> remove(const std::string& name) override {
    drop(name);
    return ok();
  }
  blob::Abilities abilities() const override { return {}; }
  std::string text() const override { return "campaign"; }

 private:
  const std::string* find(const std::string& name) const;

  const std::map<std::string, std::string> whole_;
  std::map<std::string, std::optional<std::string>> changed_;
};

}  // namespace holdfast::campaign
