/// The part of a connection that sends a BodyStream: one chunk is pulled when the one before has
/// gone out, so that a client which does not read holds one chunk; and the socket is watched for
/// the client's leaving, since an idle stream writes nothing that could fail.
#include "server/connection.h"

#include <boost/asio/post.hpp>

#include <array>

namespace holdfast::net {
namespace {

constexpr size_t kReadSize = size_t(16) << 10;
constexpr int kRoundsPerTurn = 8;  // chunks before other connections get their turn

}  // namespace

void Connection::begin_stream(std::shared_ptr<BodyStream> stream) {
  phase_ = Phase::Stream;
  stream_ = std::move(stream);
  idle_ = ended_ = false;
  stream_->set_waker([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->wake();
  });
  await(Step::WantRead);
  if (state_->stopping()) return end_stream();
  read_stream();
  pump();
}

void Connection::wake() {
  // One wake in the queue is enough, however many events come before it runs.
  if (wake_posted_.exchange(true)) return;
  boost::asio::post(strand_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->wake_posted_ = false;
    self->idle_ = false;
    if (self->phase_ != Phase::Stream || self->write_awaited_) return;
    // The time runs from here: a socket that is full may not take even the first byte.
    self->set_deadline(self->state_->options.write_timeout);
    self->pump();
  });
}

void Connection::read_stream() {
  const size_t at = form_.chunked ? open_chunk(out_) : 0;
  const BodyStream::State state = stream_->read(out_);
  if (form_.chunked) close_chunk(out_, at);
  idle_ = state == BodyStream::State::Idle;
  if (state == BodyStream::State::End) end_stream_text();
}

void Connection::end_stream_text() {
  ended_ = true;
  stream_.reset();
  if (form_.chunked) out_ += kLastChunk;
}

void Connection::end_stream() {
  if (!ended_) end_stream_text();
  pump();
}

void Connection::pump() {
  for (int round = 0; round < kRoundsPerTurn; ++round) {
    const Step step = flush();
    if (step == Step::Closed) return close();
    if (step != Step::Done) return await(step);
    if (ended_) return finish_response();
    if (idle_) {
      std::string().swap(out_);
      return clear_deadline();
    }
    read_stream();
  }
  boost::asio::post(strand_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->drive();
  });
}

void Connection::watch_peer() {
  std::array<char, kReadSize>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (;;) {
    const Moved got = wire_.read(buffer.data(), buffer.size());
    if (got.step == Step::Closed) return close();
    if (got.step != Step::Done) return await(got.step);
    parser_.feed({buffer.data(), got.bytes});
    // Nobody who waits for a stream has that much to say.
    if (parser_.kept() > RequestParser::kMaxHead) return close();
  }
}

}  // namespace holdfast::net
