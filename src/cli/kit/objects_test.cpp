// Objects by name: those that are there are named where one is not, a kind that is not served is
// told apart; wishes and deletions are asked of one object alone.
#include <holdfast/cli/asking.h>

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using model::Object;

const kube::Resource kThings{"x.dev", "v1", "things", "Thing", true};

/// A server with things of these names, the last of them the newest. What is written it takes.
class Shop final : public net::Client {
 public:
  explicit Shop(std::vector<std::string> names, std::vector<std::string>* written = nullptr)
      : names_(std::move(names)), written_(written) {}
  Result<net::Response> call(const net::Call& call) override {
    const std::string path = call.target.substr(0, call.target.find('?'));
    net::Response response;
    response.status = 200;
    if (written_ != nullptr && call.method != "GET")
      written_->push_back(call.method + " " + path + " " + call.body);
    if (path.ends_with("/things")) {
      response.body = call.method == "GET" ? list() : thing(7);
      return response;
    }
    for (size_t i = 0; i < names_.size(); ++i)
      if (path.ends_with("/" + names_[i])) {
        response.body = thing(i);
        if (call.method == "DELETE") names_.erase(names_.begin() + ptrdiff_t(i));
        return response;
      }
    response.status = 404;
    response.body = R"({"kind":"Status","reason":"NotFound","code":404,"details":{"name":"lost"}})";
    return response;
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }

 private:
  std::string thing(size_t i) const {
    const std::string name = i < names_.size() ? names_[i] : "made";
    return R"({"apiVersion":"x.dev/v1","kind":"Thing","metadata":{"namespace":"shop","name":")" +
           name + R"(","uid":"u-)" + name + R"(","creationTimestamp":"2026-01-0)" +
           std::to_string(i + 1) + R"(T00:00:00Z"}})";
  }
  std::string list() const {
    std::string items;
    for (size_t i = 0; i < names_.size(); ++i) items += (i == 0 ? "" : ",") + thing(i);
    return R"({"kind":"List","metadata":{},"items":[)" + items + "]}";
  }
  std::vector<std::string> names_;
  std::vector<std::string>* written_;
};

Server shop(std::vector<std::string> names, std::vector<std::string>* written = nullptr) {
  return {std::make_unique<Shop>(std::move(names), written), "shop", {}};
}

std::string hint(Server server, const Others& others) {
  const auto found = read_object(server, kThings, "lost", others);
  EXPECT_FALSE(found);
  EXPECT_EQ(found.error().fault(), Fault::NotFound);
  EXPECT_EQ(found.error().what(), "there is no Thing lost in namespace shop");
  return found.error().hint();
}

TEST(Objects, OthersAreNamedWhereOneIsNotThere) {
  const Others by_name{.list = "x list", .first = "make one"};
  EXPECT_EQ(hint(shop({"a", "b", "c", "d"}), by_name), "there are a, b, c; see: x list -n shop");
  EXPECT_EQ(hint(shop({"a", "b", "c", "d"}), {.list = "x list", .newest = true}),
            "newest are d, c, b; see: x list -n shop");
  EXPECT_EQ(hint(shop({}), by_name), "there is none at all; make one");
  EXPECT_EQ(hint(shop({}), {.list = "x list"}), "there is none at all; see: x list -n shop");
}

/// A server without our kinds; of their group it has these versions.
class Stranger final : public net::Client {
 public:
  explicit Stranger(std::string versions) : versions_(std::move(versions)) {}
  Result<net::Response> call(const net::Call& call) override {
    net::Response response;
    const bool group = call.target == "/apis/x.dev" && !versions_.empty();
    response.status = group ? 200 : 404;
    response.body = group ? R"({"kind":"APIGroup","versions":[)" + versions_ + "]}"
                          : std::string("404 page not found");
    return response;
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }

 private:
  const std::string versions_;
};

std::string words_of_a_stranger(const std::string& versions) {
  Server server{std::make_unique<Stranger>(versions), "shop", {}};
  const auto found = read_object(server, kThings, "a", {.list = "x list"});
  const auto listed = list_newest(server, kThings, "shop");
  EXPECT_FALSE(found || listed);
  EXPECT_EQ(found.error().fault(), Fault::NotFound);
  EXPECT_EQ(found.error().hint(), "holdfast crds | kubectl apply -f -");
  EXPECT_EQ(listed.error().what(), found.error().what());
  return found.error().what();
}

TEST(Objects, OfAKindThatIsNotServedAreNotMerelyMissing) {
  EXPECT_EQ(words_of_a_stranger(""), "this server does not serve things.x.dev/v1");
  EXPECT_EQ(words_of_a_stranger(R"({"version":"v2"},{"version":"v3"})"),
            "this server does not serve things.x.dev/v1, only x.dev/v2, x.dev/v3");
  EXPECT_EQ(words_of_a_stranger(R"({"version":"v2"},{"version":"v1"})"),
            "this server does not serve things.x.dev/v1")
      << "the version is served, but without the kind";
}

TEST(Objects, AreNamedAsKubectlDoes) {
  EXPECT_EQ(name_text(kThings, "a"), "thing.x.dev/a");
  EXPECT_EQ(name_text(kube::kPods, "a"), "pod/a");
}

TEST(Objects, AreMadeUnderANameOrAPrefix) {
  std::vector<std::string> written;
  Server server = shop({}, &written);
  const model::Value thing = Object{{"kind", "Thing"}};
  const auto made = make_object(server, kThings, thing, {.prefix = "a-"});
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, "made");
  EXPECT_TRUE(make_object(server, kThings, thing, {.name = "b"}, {{"l", "w"}}));
  ASSERT_EQ(written.size(), 2U);
  EXPECT_NE(written[0].find(R"("metadata":{"generateName":"a-"})"), written[0].npos);
  EXPECT_NE(written[1].find(R"("metadata":{"name":"b","labels":{"l":"w"}})"), written[1].npos);
}

TEST(Objects, AWishIsOfOneObjectAlone) {
  std::vector<std::string> written;
  Server server = shop({"a"}, &written);
  ASSERT_TRUE(set_label(server, {kThings, "a", "u-a"}, Object{}, "l", "restore",
                        model::Value(Object{{"namespace", "copy"}})));
  EXPECT_EQ(written.back(), R"(PATCH /apis/x.dev/v1/namespaces/shop/things/a )"
                            R"([{"op":"test","path":"/metadata/uid","value":"u-a"},)"
                            R"({"op":"add","path":"/metadata/labels","value":{"l":"restore"}},)"
                            R"({"op":"add","path":"/spec/restore","value":{"namespace":"copy"}}])");
}

TEST(Objects, ADeletionIsOverWhenItIsGone) {
  std::vector<std::string> written;
  Server server = shop({"a"}, &written);
  EXPECT_TRUE(remove_object(server, {kThings, "a", "u-a"}, "x describe"));
  ASSERT_EQ(written.size(), 1U);
  EXPECT_NE(written[0].find("u-a"), written[0].npos) << "only of that one";
  EXPECT_TRUE(remove_object(server, {kThings, "a", "u-a"}, "x describe")) << "gone already";
}

}  // namespace
}  // namespace holdfast::cli
