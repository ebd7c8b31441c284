#include "client/response_parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <utility>

namespace holdfast::net {

namespace http = boost::beast::http;

namespace {

constexpr size_t kMaxHead = size_t(64) << 10;

}  // namespace

class ResponseParser::Grammar final : public http::basic_parser<false> {
 public:
  using Text = boost::beast::string_view;
  using Code = boost::beast::error_code;

  explicit Grammar(size_t max_body) {
    eager(true);
    header_limit(uint32_t(kMaxHead));
    body_limit(max_body);
  }

  Response response;
  size_t head_bytes = 0;

 private:
  void on_request_impl(http::verb, Text, Text, int, Code&) override {}
  void on_response_impl(int status, Text, int, Code&) override { response.status = status; }
  void on_field_impl(http::field, Text name, Text value, Code&) override {
    if (!is_header_done())
      response.headers.add({name.data(), name.size()}, {value.data(), value.size()});
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, Code&) override {}
  size_t on_body_impl(Text body, Code&) override {
    response.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(uint64_t, Text, Code&) override {}
  size_t on_chunk_body_impl(uint64_t, Text body, Code&) override {
    response.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(Code&) override {}
};

ResponseParser::ResponseParser(size_t max_body)
    : max_body_(max_body), grammar_(std::make_unique<Grammar>(max_body)) {}
ResponseParser::~ResponseParser() = default;

ResponseParser::State ResponseParser::feed(std::string_view bytes) {
  if (!reason_.empty()) return State::Failed;
  kept_ += bytes;
  State state = parse();
  while (state == State::Done && grammar_->response.status < 200 &&
         grammar_->response.status != 101) {
    grammar_ = std::make_unique<Grammar>(max_body_);
    state = parse();
  }
  return state;
}

ResponseParser::State ResponseParser::parse() {
  if (grammar_->is_done()) return State::Done;
  Grammar::Code code;
  const bool in_head = !grammar_->is_header_done();
  const size_t used = grammar_->put({kept_.data(), kept_.size()}, code);
  kept_.erase(0, used);
  if (in_head) grammar_->head_bytes += used;
  if (code == http::error::body_limit) too_long_ = true;
  if (code && code != http::error::need_more)
    reason_ = code.message();
  else if (!grammar_->is_header_done() && grammar_->head_bytes + kept_.size() > kMaxHead)
    reason_ = "the head of the answer is too long";
  else if (!grammar_->is_done() && grammar_->is_header_done() && kept_.size() > kMaxHead)
    reason_ = "a chunk's head is too long";
  if (!reason_.empty()) return State::Failed;
  return grammar_->is_done() ? State::Done : State::More;
}

ResponseParser::State ResponseParser::end() {
  if (!reason_.empty()) return State::Failed;
  if (grammar_->is_done()) return State::Done;
  if (!grammar_->got_some()) {
    reason_ = "the connection ended before an answer";
    return State::Failed;
  }
  Grammar::Code code;
  grammar_->put_eof(code);
  if (code) reason_ = code.message();
  return code ? State::Failed : State::Done;
}

Response ResponseParser::take() { return std::move(grammar_->response); }

std::string ResponseParser::take_rest() { return std::exchange(kept_, {}); }

}  // namespace holdfast::net
