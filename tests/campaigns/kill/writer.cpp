#include "kill/writer.h"

#include <fmt/format.h>

namespace holdfast::campaign {
namespace {

constexpr uint64_t kObjects = 8;
constexpr uint64_t kMaxPadding = 1500;

}  // namespace

Writer::Writer(const Kind& kind, int number, uint64_t seed)
    : kind_(kind), owner_(fmt::format("w{}", number)), random_(seed) {}

void Writer::begin_round(const State& state) {
  acknowledged_.clear();
  in_doubt_.reset();
  defect_.clear();
  mine_.clear();
  for (const auto& [name, version] : state)
    if (name.starts_with(owner_ + "-")) mine_.emplace(name, version);
}

void Writer::run(net::Client& client, const std::atomic<bool>& killing) {
  for (;;) {
    Write write = choose();
    const net::Call call = call_of(write);
    in_doubt_ = write;
    const Result<net::Response> response = client.call(call);
    if (!response) {
      if (!killing)
        defect_ = fmt::format("{} {} before the kill: {}", call.method, call.target,
                              response.error().what());
      return;
    }
    if (!settle(std::move(write), *response)) {
      defect_ = fmt::format("{} {}: {} {}", call.method, call.target, response->status,
                            response->body.substr(0, 300));
      return;
    }
    in_doubt_.reset();
  }
}

Write Writer::choose() {
  Write write;
  write.name = fmt::format("{}-{}", owner_, random_.below(kObjects));
  const auto found = mine_.find(write.name);
  if (found != mine_.end()) {
    const uint64_t dice = random_.below(10);
    write.verb = dice < 4   ? Write::Verb::Update
                 : dice < 8 ? Write::Verb::Patch
                            : Write::Verb::Delete;
    write.version = found->second;
  }
  if (write.verb != Write::Verb::Delete) write.version.seq = fmt::format("{}.{}", owner_, ++count_);
  return write;
}

net::Call Writer::call_of(const Write& write) {
  net::Call call;
  const size_t padding = size_t(random_.below(kMaxPadding));
  call.target = write.verb == Write::Verb::Create ? kind_.path : kind_.path + "/" + write.name;
  switch (write.verb) {
    case Write::Verb::Create:
    case Write::Verb::Update:
      call.method = write.verb == Write::Verb::Create ? "POST" : "PUT";
      call.body = object_text(kind_, write.name, owner_, write.version, padding);
      call.headers.add("Content-Type", "application/json");
      break;
    case Write::Verb::Patch:
      call.method = "PATCH";
      call.body = fmt::format(R"({{"{}":{{"seq":"{}","pad":"{}"}}}})", kind_.field,
                              write.version.seq, std::string(padding, 'y'));
      call.headers.add("Content-Type", "application/merge-patch+json");
      break;
    case Write::Verb::Delete:
      call.method = "DELETE";
      break;
  }
  return call;
}

// False if the answer is not what this write must be answered with.
bool Writer::settle(Write write, const net::Response& response) {
  if (response.status >= 300) return false;
  if (write.verb == Write::Verb::Delete) {
    mine_.erase(write.name);
  } else {
    const Result<model::Parsed> parsed = model::parse_json(response.body);
    if (!parsed) return false;
    Version version = version_of(kind_, parsed->value);
    const bool same = write.version.uid.empty() || version.uid == write.version.uid;
    if (!same || version.seq != write.version.seq || version.revision <= write.version.revision)
      return false;
    write.version = mine_[write.name] = std::move(version);
  }
  acknowledged_.push_back(std::move(write));
  return true;
}

}  // namespace holdfast::campaign
