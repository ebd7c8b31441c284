/// Result<T>: a value, or an Error that says what was being done, to which thing, and why it
/// failed.
///
/// The Fault is chosen once, where the failure is understood; it alone decides whether anybody
/// tries again. No caller reads the text. `with_context` adds the outer action and the name of its
/// thing; `with_hint` says what a person can do. Secrets never enter a message.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace holdfast {

enum class Fault {
  Invalid,      ///< the input is wrong and stays wrong
  NotFound,     ///< the caller decides what absence means
  Conflict,     ///< somebody else was first: read again, try again
  Denied,       ///< credentials or rights are missing
  Unavailable,  ///< the other side is away or busy: try again later
  Corrupt,      ///< bytes are not what was written; never retried
  Internal,     ///< a defect of ours
};

std::string_view to_string(Fault fault);

class [[nodiscard]] Error {
 public:
  Error(Fault fault, std::string what);

  Fault fault() const { return body_->fault; }
  const std::string& what() const { return body_->what; }
  const std::string& hint() const { return body_->hint; }
  /// True if the same call may succeed later without anybody changing anything.
  bool transient() const { return fault() == Fault::Conflict || fault() == Fault::Unavailable; }

  Error&& with_context(std::string_view doing) &&;
  Error&& with_hint(std::string hint) &&;
  Error copy() const;

 private:
  struct Body {
    Fault fault;
    std::string what;
    std::string hint;
  };
  std::unique_ptr<Body> body_;
};

/// E is Error everywhere but in the API server, whose failures are Kubernetes Status objects.
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a value is a result, and so is a failure
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  const E& error() const { return std::get<1>(state_); }
  E take_error() { return std::get<1>(std::move(state_)); }
  T take() { return std::get<0>(std::move(state_)); }

 private:
  std::variant<T, E> state_;
};

template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a failure is a result
  Result(E error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  const E& error() const { return *error_; }
  E take_error() { return std::move(*error_); }
  void take() {}

 private:
  std::optional<E> error_;
};

inline Result<void> ok() { return {}; }

/// Prints the broken invariant and aborts. Stays on in release builds: going on would write wrong
/// bytes.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace holdfast

/// The value of a Result, or return its error from the enclosing function. Use it only as a whole
/// initialiser or as a whole statement: it is a statement expression.
#define HF_TRY(expr)                                 \
  __extension__({                                    \
    auto hf_result_ = (expr);                        \
    if (!hf_result_) return hf_result_.take_error(); \
    hf_result_.take();                               \
  })

#define HF_CHECK(condition) \
  ((condition) ? void(0) : ::holdfast::check_failed(#condition, __FILE__, __LINE__))
