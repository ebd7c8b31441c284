#include "double.h"

#include <holdfast/net/server.h>

#include "service.h"
#include "wire.h"

namespace holdfast::s3_double {
namespace {

/// The service behind the house's own server, for TLS.
struct Adapter final : net::Service {
  explicit Adapter(S3Service& to) : service(to) {}
  void serve(net::Request request, net::Respond respond) override {
    respond(service.answer(std::move(request)));
  }
  S3Service& service;
};

class Running final : public Double {
 public:
  Running(const Options& options, const Clock& clock)
      : service_(options, clock), adapter_(service_) {}

  Result<void> listen(const Options& options) {
    if (options.certificate.empty()) {
      wire_ = HF_TRY(Wire::listen(options, service_));
      return ok();
    }
    server_ = HF_TRY(net::Server::start({.host = options.host,
                                         .port = options.port,
                                         .max_body = size_t{1} << 30,
                                         .certificate = options.certificate,
                                         .key = options.key},
                                        adapter_));
    return ok();
  }
  uint16_t port() const override { return wire_ ? wire_->port() : server_->port(); }
  void set_weather(const Weather& weather) override { service_.set_weather(weather); }
  void rotate(const std::string& access_key, const std::string& secret_key,
              const std::string& session_token, const std::string& code) override {
    service_.rotate({access_key, secret_key, session_token, "", "", code});
  }
  Counts counts() const override { return service_.counts(); }
  size_t open_uploads() const override { return service_.open_uploads(); }

 private:
  mutable S3Service service_;
  Adapter adapter_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<net::Server> server_;
};

}  // namespace

Result<std::unique_ptr<Double>> Double::start(Options options, const Clock& clock) {
  auto made = std::make_unique<Running>(options, clock);
  HF_TRY(made->listen(options));
  return std::unique_ptr<Double>(std::move(made));
}

}  // namespace holdfast::s3_double
