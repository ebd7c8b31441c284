// The load client of the API server benchmark: the same cases, over TLS, against any server.
//   bench_apiserver URL PKI_DIR SUBJECT OUT SCALE PID…
// PKI_DIR holds ca.crt, admin.crt and admin.key; PID… are the processes whose CPU and memory count.
#include <holdfast/base/files.h>
#include <holdfast/base/result.h>

#include "cases.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace holdfast::bench {
namespace {

Result<void> run(int argc, char** argv) {
  const std::filesystem::path pki = argv[2];
  net::ClientOptions options;
  options.base_url = argv[1];
  options.ca = HF_TRY(read_file(pki / "ca.crt"));
  options.certificate = HF_TRY(read_file(pki / "admin.crt"));
  options.key = HF_TRY(read_file(pki / "admin.key"));
  auto client = HF_TRY(net::Client::make(options));
  std::vector<int> pids;
  for (int i = 6; i < argc; ++i) pids.push_back(std::atoi(argv[i]));

  const SystemClock clock;
  Subject subject{*client, clock, Processes(pids), Report(argv[4], argv[3]), std::atoll(argv[5])};
  HF_TRY(report_memory(subject, "rss-empty"));
  HF_TRY(run_create(subject, 1));
  HF_TRY(run_create(subject, 16));
  HF_TRY(run_get(subject));
  HF_TRY(run_watch_latency(subject));
  HF_TRY(run_list(subject));
  return ok();
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: bench_apiserver URL PKI_DIR SUBJECT OUT SCALE PID...\n");
    return 2;
  }
  if (auto done = holdfast::bench::run(argc, argv); !done) {
    std::fprintf(stderr, "bench_apiserver: %s\n", done.error().what().c_str());
    return 1;
  }
  return 0;
}
