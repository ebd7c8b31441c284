#include "server/server_state.h"

#include "server/connection.h"

#include <algorithm>

namespace holdfast::net {

Response ServerState::page(int status, std::string_view reason) const {
  if (options.error_page) return options.error_page(status, reason);
  Response response{.status = status, .body = std::string(reason) + "\n"};
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  return response;
}

TlsSettings ServerState::tls() const {
  const Lock lock(tls_mutex_);
  if (tls_) SSL_CTX_up_ref(tls_.get());
  return TlsSettings(tls_.get());
}

void ServerState::use_tls(TlsSettings settings) {
  const Lock lock(tls_mutex_);
  tls_ = std::move(settings);
}

Shares::Waits ServerState::waits() const {
  return [&open = open_](Shares::Id id) {
    const auto at = open.find(id);
    return at != open.end() && at->second->waits();
  };
}

bool ServerState::let_go(const Shares::Verdict& verdict) {
  const auto goes = verdict.goes ? open_.find(*verdict.goes) : open_.end();
  if (goes != open_.end()) goes->second->ask_give_way();
  return verdict.stays;
}

bool ServerState::add(const std::shared_ptr<Connection>& connection) {
  const Lock lock(mutex_);
  if (stopping_ || open_.size() >= options.max_connections) return false;
  if (options.knows_users && !let_go(shares_.enter(connection->id(), waits()))) return false;
  open_.emplace(connection->id(), connection);
  return true;
}

bool ServerState::prove(uint64_t id, const std::string& user) {
  const Lock lock(mutex_);
  return let_go(shares_.prove(id, user, waits()));
}

void ServerState::remove(const std::shared_ptr<Connection>& connection) {
  const Lock lock(mutex_);
  open_.erase(connection->id());
  shares_.leave(connection->id());
  if (open_.empty()) changed_.notify_all();
}

std::vector<std::shared_ptr<Connection>> ServerState::open() const {
  std::vector<std::shared_ptr<Connection>> all;
  const Lock lock(mutex_);
  for (const auto& [id, connection] : open_) all.push_back(connection);
  return all;
}

std::vector<std::shared_ptr<Connection>> ServerState::overdue() const {
  const MonoTime now = clock.mono();
  std::vector<std::shared_ptr<Connection>> late;
  const Lock lock(mutex_);
  for (const auto& [id, connection] : open_)
    if (connection->deadline() <= now) late.push_back(connection);
  return late;
}

size_t ServerState::size() const {
  const Lock lock(mutex_);
  return open_.size();
}

size_t ServerState::waiting() const {
  const Lock lock(mutex_);
  return size_t(std::count_if(open_.begin(), open_.end(),
                              [](const auto& each) { return each.second->waits(); }));
}

void ServerState::begin_stop() {
  const Lock lock(mutex_);
  stopping_ = true;
}

void ServerState::wait_until_empty(std::chrono::milliseconds limit) {
  const MonoTime end = clock.mono() + limit;
  const Lock lock(mutex_);
  while (!open_.empty()) {
    const MonoTime left = end - clock.mono();
    if (left <= MonoTime(0)) return;
    changed_.wait_for(mutex_, left);
  }
}

}  // namespace holdfast::net
