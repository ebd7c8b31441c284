/// Shares of a server's connections: so many for strangers, peers that have not proven to be any
/// user, and so many for each user, so that neither a crowd of strangers nor one user keeps the
/// others out. On one machine all peers have the same address: it says nothing.
///
/// Passive, and not safe to use from many threads: its owner locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace holdfast::net {

class Shares {
 public:
  using Id = uint64_t;
  struct Limits {
    size_t strangers = 0;  ///< in all
    size_t users = 0;      ///< in all
    size_t user = 0;       ///< each
  };
  /// Of `all` connections a quarter is kept for strangers, and a user may have half of the rest.
  static Limits of(size_t all);

  /// Whether a connection waits for its peer, and so may go at any time.
  using Waits = std::function<bool(Id)>;
  struct Verdict {
    bool stays = true;
    std::optional<Id> goes{};  ///< the connection that has to go in its place
  };

  explicit Shares(Limits limits) : limits_(limits) {}

  /// A new connection, of a stranger. The oldest that waits makes room.
  Verdict enter(Id id, const Waits& waits);
  /// It has proven to be a user's; what it proves first counts. The user's oldest that waits makes
  /// room; if all users together have too many, one of the user that has the most.
  Verdict prove(Id id, const std::string& user, const Waits& waits);
  void leave(Id id);

  size_t strangers() const { return strangers_.size(); }
  size_t of_user(const std::string& user) const;

 private:
  using Ids = std::list<Id>;
  struct Place {
    Ids::iterator at;
    const std::string* user = nullptr;  ///< the key in users_; null: a stranger
  };
  static std::optional<Id> oldest(const Ids& ids, const Waits& waits);
  Ids* largest();

  const Limits limits_;
  Ids strangers_;
  std::map<std::string, Ids> users_;
  size_t of_users_ = 0;
  std::unordered_map<Id, Place> places_;
};

}  // namespace holdfast::net
