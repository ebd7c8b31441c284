/// A transport whose calls ask for another form of the answer: tables, aggregated discovery.
#pragma once

#include <holdfast/net/client.h>

#include <string>

namespace holdfast::cli {

class Accepting final : public net::Client {
 public:
  Accepting(net::Client& transport, std::string form)
      : transport_(transport), form_(std::move(form)) {}

  Result<net::Response> call(const net::Call& call) override {
    return transport_.call(asking(call));
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    return transport_.stream(asking(call), on_data);
  }

 private:
  net::Call asking(net::Call call) const {
    call.headers.set("Accept", form_);
    return call;
  }
  net::Client& transport_;
  const std::string form_;
};

}  // namespace holdfast::cli
