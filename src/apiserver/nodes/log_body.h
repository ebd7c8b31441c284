/// A response body that another thread fills: what a node sends of a log, on its way to the client.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/net/http.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace holdfast::apiserver {

/// The two ends share it. The filling one waits while the client has not taken what is there, so
/// that gigabytes of log cost one buffer.
class LogPipe {
 public:
  /// False once nobody reads any more.
  bool put(std::string_view bytes);
  void finish();
  net::BodyStream::State take(std::string& out);
  void abandon();
  void set_waker(std::function<void()> waker);
  /// Requested when the reader goes.
  std::stop_token gone() const { return gone_.get_token(); }

 private:
  void wake();

  Mutex mutex_;
  CondVar taken_;
  std::string held_ HF_GUARDED_BY(mutex_);
  bool finished_ HF_GUARDED_BY(mutex_) = false;
  bool abandoned_ HF_GUARDED_BY(mutex_) = false;
  std::function<void()> waker_ HF_GUARDED_BY(mutex_);
  std::stop_source gone_;
};

/// The end that the connection reads; its destruction is the client's leaving.
class LogBody final : public net::BodyStream {
 public:
  explicit LogBody(std::shared_ptr<LogPipe> pipe) : pipe_(std::move(pipe)) {}
  LogBody(const LogBody&) = delete;
  LogBody& operator=(const LogBody&) = delete;
  ~LogBody() override { pipe_->abandon(); }
  State read(std::string& out) override { return pipe_->take(out); }
  void set_waker(std::function<void()> waker) override { pipe_->set_waker(std::move(waker)); }

 private:
  const std::shared_ptr<LogPipe> pipe_;
};

}  // namespace holdfast::apiserver
