/// A list as it was at an older revision: today's objects with every later change taken back.
///
/// Changes are taken back newest first, so the last word on a key is what stood there before its
/// first later change. What stood there may be known only by its revision in the log; its text is
/// fetched only if it falls on the page.
#pragma once

#include <holdfast/base/result.h>

#include "store/state.h"
#include "store/store.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace holdfast::apiserver::storage {

class Past {
 public:
  using Fetch = std::function<Result<StoredPtr>(Revision)>;

  /// `resource` may be null: nothing of it exists today.
  Past(const Collection* resource, const Range& range);

  void take_back(const std::string& ns, const std::string& name, StoredPtr before);
  /// The same, the version being in the log; 0: nothing stood there.
  void take_back(const std::string& ns, const std::string& name, Revision before);
  Result<Page> page(const Fetch& fetch) const;

 private:
  struct Was {
    StoredPtr object;
    Revision in_log = 0;
    bool exists() const { return object || in_log != 0; }
  };
  struct KeyOrder {
    bool operator()(const std::pair<std::string, std::string>& a,
                    const std::pair<std::string, std::string>& b) const {
      return compare_keys(a.first, a.second, b.first, b.second) < 0;
    }
  };
  struct Item {
    const std::string* ns;
    const std::string* name;
    const Was was;
  };

  void set(const std::string& ns, const std::string& name, Was was);
  std::vector<Item> items() const;

  Range range_;
  std::vector<StoredPtr> today_;
  std::map<std::pair<std::string, std::string>, Was, KeyOrder> changed_;
};

}  // namespace holdfast::apiserver::storage
