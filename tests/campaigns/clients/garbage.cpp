#include "clients/garbage.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::campaign {
namespace {

constexpr std::chrono::seconds kAnswerLimit{30};
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

std::string post(std::string_view target, std::string_view type, std::string_view body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: x\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      target, type, body.size(), body);
}

std::string nested(size_t depth) {
  return R"({"metadata":{"name":"deep"},"data":)" + std::string(depth, '[') +
         std::string(depth, ']') + "}";
}

}  // namespace

std::vector<Nuisance> nuisances(Random& random) {
  const std::string bad = "HTTP/1.1 400 ";
  const std::string noise = random.bytes(4096);
  const std::string json = "application/json";
  return {
      {"noise instead of TLS", false, false, noise, {"", bad, "HTTP/1.0 400", "\x15"}},
      {"HTTP without TLS",
       false,
       false,
       "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
       {"", bad, "HTTP/1.0 400", "\x15"}},
      {"noise inside TLS", true, true, noise + "\r\n\r\n", {bad, ""}},
      {"header of a megabyte",
       true,
       true,
       "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(1 << 20, 'a') + "\r\n\r\n",
       {"HTTP/1.1 431 ", ""}},
      {"negative length",
       true,
       true,
       "POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
       {bad}},
      {"bad chunk",
       true,
       true,
       "POST /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
       {bad}},
      {"body of 4 MiB",
       true,
       true,
       post(kMaps, json, std::string(4 << 20, 'x')),
       {"HTTP/1.1 413 ", ""}},
      {"no JSON", true, true, post(kMaps, json, noise), {bad}},
      {"cut JSON", true, true, post(kMaps, json, R"({"metadata":{"name":"a)"), {bad}},
      {"nested too deep", true, true, post(kMaps, json, nested(100000)), {bad}},
      {"wrong type of body", true, true, post(kMaps, "text/csv", "a,b"), {"HTTP/1.1 415 "}},
      {"noise as protobuf",
       true,
       true,
       post(kMaps, "application/vnd.kubernetes.protobuf", noise),
       {bad}},
      {"nobody's secrets",
       true,
       false,
       "GET /api/v1/secrets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
       {"HTTP/1.1 403 ", "HTTP/1.1 401 "}},
  };
}

Visit annoy(uint16_t port, const TlsTerms& terms, const Nuisance& nuisance) {
  Raw raw(port);
  if (!raw.connected()) return {false, "not connected"};
  if (nuisance.tls && !raw.shake_hands(terms)) return {false, "no handshake"};
  raw.send(nuisance.bytes);
  const std::string answer = raw.read(kAnswerLimit, 1);
  const bool ok = std::any_of(
      nuisance.answers.begin(), nuisance.answers.end(), [&](const std::string& expected) {
        return expected.empty() ? answer.empty() && raw.closed() : answer.starts_with(expected);
      });
  return {ok, answer.empty() ? "nothing" : answer.substr(0, answer.find('\r'))};
}

}  // namespace holdfast::campaign
