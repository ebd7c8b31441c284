/// Duplex: bytes both ways without waiting, under WebSocket frames.
#pragma once

#include "server/wire.h"

#include <unistd.h>

#include <string_view>
#include <utility>

namespace holdfast::net {

/// Used by one thread at a time.
class Duplex {
 public:
  virtual ~Duplex() = default;
  virtual Moved read(char* into, size_t size) = 0;
  /// After a Want… the same bytes, at the same address, must be offered again.
  virtual Moved write(std::string_view bytes) = 0;
  /// To be polled; it stays the same.
  virtual int descriptor() const = 0;
  /// Tells the peer that nothing more comes.
  virtual void finish() = 0;
};

/// A server's connection that has left HTTP; owns its descriptor.
class WireDuplex final : public Duplex {
 public:
  WireDuplex(int fd, Wire wire) : fd_(fd), wire_(std::move(wire)) {}
  WireDuplex(const WireDuplex&) = delete;
  WireDuplex& operator=(const WireDuplex&) = delete;
  ~WireDuplex() override {
    wire_.drop();
    ::close(fd_);
  }
  Moved read(char* into, size_t size) override { return wire_.read(into, size); }
  Moved write(std::string_view bytes) override { return wire_.write(bytes); }
  int descriptor() const override { return fd_; }
  void finish() override { wire_.finish(); }

 private:
  const int fd_;
  Wire wire_;
};

}  // namespace holdfast::net
