// holdfast-s3-double: the double as a program, for campaigns that kill what talks to it.
//
//   holdfast-s3-double --listen 127.0.0.1:0 --root DIR [--access-key K --secret-key S
//     --session-token T --region R --conditional keeps|304|overwrites|501 --domain D --seed N
//     --slow-down SHARE --internal-error SHARE --reset SHARE … --latency MS]
//
// Prints "listening on http://HOST:PORT" when it does, and ends at SIGTERM, SIGINT, or when whoever
// started it is gone. PUT /-/weather?slow-down=0.5 changes the weather, PUT /-/keys?access-key=K&
// secret-key=S the one key that is right; they need no signature.
#include "wire.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace holdfast::s3_double {
namespace {

using Flags = std::map<std::string, std::string>;

Result<Flags> read_flags(int count, char** values) {
  Flags out;
  for (int i = 1; i < count; i += 2) {
    const std::string name = values[i];
    if (!name.starts_with("--") || i + 1 >= count)
      return Error(Fault::Invalid, name + ": every flag is --NAME VALUE");
    out[name.substr(2)] = values[i + 1];
  }
  return out;
}

std::string take(Flags& flags, const std::string& name, const std::string& otherwise) {
  const auto found = flags.find(name);
  if (found == flags.end()) return otherwise;
  std::string value = found->second;
  flags.erase(found);
  return value;
}

Result<Conditional> read_conditional(const std::string& text) {
  if (text == "keeps") return Conditional::Keeps;
  if (text == "304") return Conditional::Says304;
  if (text == "overwrites") return Conditional::Overwrites;
  if (text == "501") return Conditional::Says501;
  return Error(Fault::Invalid, "--conditional is keeps, 304, overwrites or 501");
}

Result<Options> read_options(Flags& flags) {
  Options out;
  const std::string listen = take(flags, "listen", "127.0.0.1:0");
  const size_t colon = listen.rfind(':');
  if (colon == std::string::npos) return Error(Fault::Invalid, "--listen is HOST:PORT");
  out.host = listen.substr(0, colon);
  out.port = uint16_t(std::atoi(listen.c_str() + colon + 1));
  out.root = take(flags, "root", "");
  out.access_key = take(flags, "access-key", out.access_key);
  out.secret_key = take(flags, "secret-key", out.secret_key);
  out.session_token = take(flags, "session-token", "");
  out.region = take(flags, "region", out.region);
  out.domain = take(flags, "domain", "");
  out.seed = std::strtoull(take(flags, "seed", "1").c_str(), nullptr, 10);
  out.conditional = HF_TRY(read_conditional(take(flags, "conditional", "keeps")));
  return out;
}

Result<void> run(int count, char** values) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  Flags flags = HF_TRY(read_flags(count, values));
  const Options options = HF_TRY(read_options(flags));
  Weather weather;
  if (!read_weather({flags.begin(), flags.end()}, weather))
    return Error(Fault::Invalid, "unknown flag among the last");
  const SystemClock clock;
  const auto running = HF_TRY(Double::start(options, clock));
  running->set_weather(weather);
  fmt::print("listening on http://{}:{}\n", options.host, running->port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  return ok();
}

}  // namespace
}  // namespace holdfast::s3_double

int main(int count, char** values) {
  const holdfast::Result<void> done = holdfast::s3_double::run(count, values);
  if (done) return 0;
  fmt::print(stderr, "holdfast-s3-double: {}\n", done.error().what());
  return 1;
}
