/// HTTP request parser on Beast's grammar, with our own sink: fields go straight into the Request,
/// and a body grows with what has come, never with what its Content-Length promises.
#include <holdfast/base/result.h>
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/net/request_parser.h>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace holdfast::net {

namespace http = boost::beast::http;

class RequestParser::Grammar final : public http::basic_parser<true> {
 public:
  using Text = boost::beast::string_view;
  using Code = boost::beast::error_code;

  explicit Grammar(size_t max_body) {
    eager(true);
    header_limit(uint32_t(kMaxHead));
    body_limit(max_body);
  }

  Request request;
  int version = 11;
  size_t head_bytes = 0;
  bool continue_told = false;
  size_t codings = 0;           ///< Transfer-Encoding fields
  bool unknown_coding = false;  ///< one of them is not plainly `chunked`

 private:
  static std::string_view std_view(Text text) { return {text.data(), text.size()}; }

  void on_request_impl(http::verb, Text method, Text target, int http_version, Code&) override {
    request.method = std_view(method);
    request.target = std_view(target);
    version = http_version;
  }
  void on_response_impl(int, Text, int, Code&) override {}
  void on_field_impl(http::field, Text name, Text value, Code&) override {
    // Trailers come this way too. Believing them would let a body add headers that a proxy in front
    // has not seen.
    if (is_header_done()) return;
    request.headers.add(std_view(name), std_view(value));
    if (to_lower(std_view(name)) != "transfer-encoding") return;
    ++codings;
    if (to_lower(std_view(value)) != "chunked") unknown_coding = true;
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, Code&) override {}
  size_t on_body_impl(Text body, Code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(uint64_t, Text, Code&) override {}
  size_t on_chunk_body_impl(uint64_t, Text body, Code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(Code&) override {}
};

namespace {

/// A line of the head goes on in the next one (RFC 9112, 5.2). `head` begins with a line, and the
/// first `seen` bytes of it have been looked at.
bool is_folded(std::string_view head, size_t seen) {
  if (head.starts_with("\r\n")) return false;  // its end
  head = head.substr(0, head.find("\r\n\r\n"));
  for (size_t at = head.find("\r\n", seen < 3 ? 0 : seen - 3); at != std::string_view::npos;
       at = head.find("\r\n", at + 2))
    if (at + 2 < head.size() && (head[at + 2] == ' ' || head[at + 2] == '\t')) return true;
  return false;
}

}  // namespace

RequestParser::RequestParser(size_t max_body) : max_body_(max_body) {}
RequestParser::~RequestParser() = default;

RequestParser::State RequestParser::fail(int status, std::string_view reason) {
  status_ = status;
  reason_ = reason;
  grammar_.reset();
  std::string().swap(kept_);
  return State::Failed;
}

bool RequestParser::started() const { return grammar_ != nullptr || !kept_.empty(); }

bool RequestParser::wants_continue() {
  if (!grammar_ || done_ || grammar_->continue_told || !grammar_->is_header_done()) return false;
  grammar_->continue_told = true;
  return grammar_->version >= 11 &&
         to_lower(grammar_->request.headers.get("Expect")) == "100-continue";
}

RequestParser::State RequestParser::feed(std::string_view bytes) {
  if (status_ != 0) return State::Failed;
  if (done_) {
    kept_ += bytes;
    return State::Done;
  }
  if (kept_.empty()) {
    const State state = parse(bytes, 0);
    if (state != State::Failed) kept_.assign(bytes);
    return state;
  }
  const size_t seen = kept_.size();
  kept_ += bytes;
  std::string_view rest = kept_;
  const State state = parse(rest, seen);
  if (state == State::Failed) return state;
  kept_.erase(0, kept_.size() - rest.size());
  if (kept_.empty()) std::string().swap(kept_);
  return state;
}

/// Takes from the front of `bytes` what belongs to the request and is complete enough to be
/// understood.
RequestParser::State RequestParser::parse(std::string_view& bytes, size_t seen) {
  if (!grammar_) {
    // Old clients end a body with a line break that its length does not count.
    while (bytes.starts_with('\r') || bytes.starts_with('\n')) bytes.remove_prefix(1);
    if (bytes.empty()) return State::More;
    grammar_ = std::make_unique<Grammar>(max_body_);
    seen = 0;
  }
  Grammar::Code code;
  const bool in_head = !grammar_->is_header_done();
  // What one reader joins another may take for a field of its own.
  if (in_head && is_folded(bytes, seen) && wall_stands("folded header lines are refused"))
    return fail(400, "folded header lines are not taken");
  const size_t used = grammar_->put({bytes.data(), bytes.size()}, code);
  bytes.remove_prefix(used);
  if (const State state = check_coding(); state == State::Failed) return state;
  if (code == http::error::header_limit) return fail(431, "request header block too large");
  if (code == http::error::body_limit) return fail(413, "request body too large");
  if (code && code != http::error::need_more) return fail(400, code.message());

  // Beast limits a line and what it sees at once, not the sum of fields that trickle in.
  if (in_head && !grammar_->is_header_done()) grammar_->head_bytes += used;
  if (grammar_->head_bytes + (in_head ? bytes.size() : 0) > kMaxHead && !grammar_->is_header_done())
    return fail(431, "request header block too large");
  if (!in_head && !grammar_->is_done() && bytes.size() > kMaxHead)
    return fail(400, "chunk header too large");
  return grammar_->is_done() ? finish() : State::More;
}

/// Where a body ends is not known if its coding is not: no guess is made.
RequestParser::State RequestParser::check_coding() {
  if (grammar_->codings == 0 || !wall_stands("unknown codings are refused")) return State::More;
  if (grammar_->version < 11) return fail(400, "Transfer-Encoding in a request of HTTP/1.0");
  if (grammar_->unknown_coding || grammar_->codings > 1)
    return fail(501, "unsupported transfer encoding: only `chunked` is taken");
  return State::More;
}

RequestParser::State RequestParser::finish() {
  const size_t hosts = grammar_->request.headers.all("Host").size();
  if (hosts > 1) return fail(400, "too many Host headers");
  if (hosts == 0 && grammar_->version >= 11) return fail(400, "missing required Host header");
  done_ = true;
  framing_ = {.keep_alive = grammar_->keep_alive(), .chunked = grammar_->version >= 11};
  return State::Done;
}

Request RequestParser::take() {
  HF_CHECK(done_ && grammar_);
  Request request = std::move(grammar_->request);
  grammar_.reset();
  done_ = false;
  split_target(request);
  return request;
}

}  // namespace holdfast::net
