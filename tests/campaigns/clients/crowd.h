/// Many bad clients at once, held open until the crowd is destroyed.
#pragma once

#include "clients/raw.h"

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::campaign {

struct CrowdSize {
  size_t idle = 0;      ///< TLS, then not a word
  size_t silent = 0;    ///< not even TLS
  size_t halves = 0;    ///< stop in the middle of a head or of a body
  size_t watchers = 0;  ///< watch and never read
};

/// Raises this process's limit of descriptors as far as it may; returns what it is then.
size_t raise_descriptor_limit();

class Crowd {
 public:
  Crowd(uint16_t port, const TlsTerms& terms, const CrowdSize& size, const std::string& watched);

  size_t open() const { return idle_.size() + silent_.size() + halves_.size() + slow_.size(); }
  /// Connections that could not be made.
  size_t refused() const { return refused_; }
  /// Asks something on some of the idle ones; how many are open and did not answer 200.
  size_t wake_some(size_t count);
  size_t slow() const { return slow_.size(); }
  /// Reads at last; how many of the slow watchers the server has given up.
  size_t dropped();

 private:
  uint16_t port_;
  std::vector<Raw> idle_, silent_, halves_, slow_;
  size_t refused_ = 0;
};

}  // namespace holdfast::campaign
