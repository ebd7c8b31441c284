/// Refusal: a reason that programs compare, a message that people read. Kept apart, so that nobody
/// has to cut a text in two.
#pragma once

#include <string>

namespace holdfast::control {

struct Refusal {
  std::string reason{};   ///< one word: NoBackupLocation
  std::string message{};  ///< "there is no BackupLocation main in namespace shop"
  /// "NoBackupLocation: there is no …", for a sentence that quotes it.
  std::string text() const { return reason + ": " + message; }
};

}  // namespace holdfast::control
