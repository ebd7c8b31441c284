#include "measure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace holdfast::bench {

double Processes::cpu_seconds() const {
  double ticks = 0;
  for (int pid : pids_) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    // The second field, the program's name, may contain spaces; the rest starts after its ")".
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string field;
    for (int i = 3; i <= 15 && fields >> field; ++i)
      if (i >= 14) ticks += std::stod(field);
  }
  return ticks / double(sysconf(_SC_CLK_TCK));
}

int64_t Processes::status_bytes(std::string_view field) const {
  int64_t total = 0;
  for (int pid : pids_) {
    std::ifstream file(fmt::format("/proc/{}/status", pid));
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(field)) total += std::stoll(line.substr(field.size() + 1)) * 1024;
  }
  return total;
}

int64_t Processes::rss_bytes() const { return status_bytes("VmRSS"); }
int64_t Processes::rss_anon_bytes() const { return status_bytes("RssAnon"); }

void Report::add(std::string_view name, std::string_view metric, std::string_view unit,
                 double value) const {
  std::ofstream file(path_, std::ios::app);
  file << fmt::format(R"({{"case":"{}","subject":"{}","metric":"{}","unit":"{}","value":{:.6g}}})"
                      "\n",
                      name, subject_, metric, unit, value);
}

void Measured::finish(const Report& report, std::string_view name, Latencies latencies) const {
  const double wall = double((clock_.mono() - start_).count()) / 1e6;
  const double cpu = processes_.cpu_seconds() - cpu_;
  std::sort(latencies.begin(), latencies.end());
  const auto percentile = [&](size_t percent) {
    return double(latencies[(latencies.size() - 1) * percent / 100].count()) / 1e3;
  };
  report.add(name, "rate", "1/s", double(latencies.size()) / wall);
  report.add(name, "p50", "ms", percentile(50));
  report.add(name, "p99", "ms", percentile(99));
  report.add(name, "wall", "s", wall);
  report.add(name, "cpu", "s", cpu);
}

}  // namespace holdfast::bench
