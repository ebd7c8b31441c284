/// A controller with effects outside the API server, for the simulation alone: each entry of a
/// Ledger is to be written into a book exactly once, by a journaled operation.
///
///   apiVersion: sim.holdfast.dev/v1, kind: Ledger
///   spec.entries   how many
///   status.phase   Open, Done        status.operations   control/operation.h
#pragma once

#include <holdfast/control/reconciler.h>

#include <functional>
#include <map>
#include <string>

namespace holdfast::sim {

inline constexpr kube::Resource kLedgers{"sim.holdfast.dev", "v1", "ledgers", "Ledger"};

model::Value ledger_definition();

/// What is outside: it survives every crash. Writing an entry twice is harmless, and counted.
class Book {
 public:
  /// Told of every effect before it takes place.
  using Witness = std::function<void(const kube::Key& ledger, const std::string& uid,
                                     const std::string& operation, int64_t attempt)>;
  void set_witness(Witness witness) { witness_ = std::move(witness); }
  void write(const kube::Cached& ledger, const std::string& operation, int64_t attempt);
  const std::map<std::string, int>& entries() const { return entries_; }

 private:
  Witness witness_;
  std::map<std::string, int> entries_;  ///< uid and operation → how often
};

control::ControllerSpec ledger_controller(Book& book);

}  // namespace holdfast::sim
