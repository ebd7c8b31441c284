#include "world/ledger.h"

#include <fmt/format.h>

namespace holdfast::sim {
namespace {

using control::Outcome;
using model::Array;
using model::Object;
using model::Value;

class LedgerReconciler final : public control::Reconciler {
 public:
  explicit LedgerReconciler(Book& book) : book_(book) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached ledger = pass.get(kLedgers, pass.key().ns, pass.key().name);
    if (!ledger || ledger.being_deleted()) return Outcome::done();
    Value object = ledger.value();
    const int64_t entries = model::int_at(object, {"spec", "entries"}, 0);
    for (int64_t i = 1; i <= entries; ++i) {
      const std::string name = fmt::format("entry-{}", i);
      const auto record = control::find_operation(object, name);
      if (record && record->succeeded()) continue;
      // Begun and unknown is no reason to count: writing an entry again is harmless.
      const int64_t attempt = record ? std::max<int64_t>(1, record->attempt) : 1;
      control::Operation operation{.name = name, .resource = kLedgers, .owner = ledger};
      operation.attempt = attempt;
      operation.run = [this, ledger, name, attempt]() -> Result<Value> {
        book_.write(ledger, name, attempt);
        return Value(Object{{"book", "main"}});
      };
      return Outcome::act(std::move(operation));
    }
    if (model::string_at(object, {"status", "phase"}) == "Done") return Outcome::done();
    model::ensure_object(object, {"status"})["phase"] = "Done";
    return Outcome::act(control::update_status(kLedgers, ledger, std::move(object)));
  }

 private:
  Book& book_;
};

}  // namespace

void Book::write(const kube::Cached& ledger, const std::string& operation, int64_t attempt) {
  if (witness_) witness_(kube::key_of(ledger), std::string(ledger.uid()), operation, attempt);
  ++entries_[fmt::format("{} {}", ledger.uid(), operation)];
}

control::ControllerSpec ledger_controller(Book& book) {
  control::ControllerSpec spec;
  spec.name = "ledger-controller";
  spec.watch(kLedgers);
  spec.make = [&book] { return std::make_unique<LedgerReconciler>(book); };
  return spec;
}

Value ledger_definition() {
  const Value schema =
      Object{{"openAPIV3Schema",
              Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  const Value version = Object{{"name", "v1"},
                               {"served", true},
                               {"storage", true},
                               {"schema", schema},
                               {"subresources", Object{{"status", Object{}}}}};
  return Object{{"apiVersion", "apiextensions.k8s.io/v1"},
                {"kind", "CustomResourceDefinition"},
                {"metadata", Object{{"name", "ledgers.sim.holdfast.dev"}}},
                {"spec", Object{{"group", "sim.holdfast.dev"},
                                {"scope", "Namespaced"},
                                {"names", Object{{"plural", "ledgers"},
                                                 {"singular", "ledger"},
                                                 {"kind", "Ledger"},
                                                 {"listKind", "LedgerList"}}},
                                {"versions", Array{version}}}}};
}

}  // namespace holdfast::sim
