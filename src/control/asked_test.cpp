#include <holdfast/control/asked.h>

#include "cached_objects.h"

namespace holdfast::control {
namespace {

struct Voyage {
  static constexpr model::Kind kKind{"test.dev", "v1", "Voyage"};
  struct Asked {
    std::string from{}, to{};
    template <class V>
    void fields(V& v) {
      v.optional("from", from, "where it begins");
      v.optional("to", to, "where it ends");
    }
  };
  struct Spec : Asked {
    bool cancel = false;
    template <class V>
    void fields(V& v) {
      Asked::fields(v);
      v.optional("cancel", cancel, "may be changed");
    }
  } spec{};
  struct Status {
    std::optional<Asked> asked{};
  } status{};
};

TEST(Asked, AnEditIsNamedAndNotObeyed) {
  Voyage voyage;
  voyage.spec.from = "Kiel";
  EXPECT_TRUE(keep_to_asked(voyage).empty()) << "nothing has begun";
  voyage.status.asked = voyage.spec;
  EXPECT_TRUE(keep_to_asked(voyage).empty());

  voyage.spec.from.clear();
  voyage.spec.to = "Oslo";
  voyage.spec.cancel = true;

  EXPECT_EQ(keep_to_asked(voyage), (std::vector<std::string>{"spec.from", "spec.to"}));
  EXPECT_EQ(voyage.spec.from, "Kiel");
  EXPECT_EQ(voyage.spec.to, "");
  EXPECT_TRUE(voyage.spec.cancel);
}

}  // namespace
}  // namespace holdfast::control
