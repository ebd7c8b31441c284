/// resource.Quantity: exact decimal or binary amounts with suffixes, and their canonical text.
#pragma once

#include <holdfast/base/result.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::model {

class Quantity {
 public:
  enum class Format { DecimalSI, BinarySI, DecimalExponent };
  /// Error: "quantities must match the regular expression
  /// '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" or "unable to parse quantity's suffix", as in
  /// apimachinery.
  static Result<Quantity> parse(std::string_view text);
  /// As Go's Quantity.String() prints it: "500m", "1Gi", "1e3".
  std::string text() const;
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return std::is_eq(*this <=> other); }
  /// Rounded up, as Go's Value() and MilliValue(); saturates.
  int64_t value() const;
  int64_t milli_value() const;
  bool negative() const;
  Quantity operator+(const Quantity& other) const;

 private:
  __extension__ __int128 nanos_ = 0;  ///< amount × 10⁹; amounts past ±1.7×10²⁹ are refused at parse
  Format format_ = Format::DecimalSI;
  std::string given_;  ///< the text it was read from, where Go prints that and no canonical one
};

}  // namespace holdfast::model
