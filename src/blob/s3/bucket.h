/// One bucket of one service: signed requests, tried again where that helps.
#pragma once

#include <holdfast/blob/s3.h>
#include <holdfast/net/client.h>

#include "around/pace.h"
#include "around/places.h"
#include "s3/answers.h"

#include <atomic>
#include <optional>
#include <vector>

namespace holdfast::blob {

/// One request.
struct Ask {
  std::string method = "GET";
  std::string key{};  ///< "" asks the bucket itself
  net::Query query{};
  net::Headers headers{};
  std::string_view payload{};  ///< outlives the call
  std::string_view sha256{};   ///< raw, of the payload, if the caller has it
  size_t longest_answer = size_t{1} << 20;
  std::vector<int> also_good{};  ///< statuses past 2xx that are an answer
  std::string verb{};            ///< in messages; "" = the method
  std::string thing{};           ///< in messages; "" = the key
};

/// Safe to use from many threads.
class Bucket {
 public:
  static Result<std::unique_ptr<Bucket>> open(S3Settings settings, Waiting waiting);

  /// An answer of 2xx or `also_good`; anything else is an Error.
  Result<net::Response> ask(const Ask& ask) const;
  /// "PUT data/ab/…: s3:https://host/bucket/prefix", the beginning of every message.
  std::string naming(const Ask& ask) const;

  const S3Settings& settings() const { return settings_; }
  const Waiting& waiting() const { return waiting_; }
  /// "s3:https://host/bucket/prefix".
  const std::string& text() const { return text_; }
  /// Names of blobs to keys, with "prefix/" before them.
  std::string key(const std::string& name) const { return above_ + name; }
  /// "prefix/", or "".
  const std::string& above() const { return above_; }

 private:
  Bucket(S3Settings settings, Waiting waiting);
  Result<void> connect();
  Result<net::Response> ask_once(const Ask& ask) const;
  Result<net::Response> send(const Ask& ask, const S3Key& key) const;
  std::optional<S3Key> other_key(const S3Key& refused, const std::string& code) const;
  ServiceError reason(const Ask& ask, const S3Key& key, const net::Response& refused) const;
  void add_headers(const Ask& ask, const S3Key& key, net::Headers& headers) const;

  const S3Settings settings_;
  const Waiting waiting_;
  std::string above_, text_;
  std::string host_;         ///< as the Host header says it
  std::string bucket_path_;  ///< "/bucket", or "" if the bucket is in the host name
  std::unique_ptr<net::Client> client_;
  const std::shared_ptr<const Limits> limits_;  ///< never null
  mutable Pace up_, down_;
  mutable Places places_;
  mutable std::atomic<bool> key_was_right_{false};
};

}  // namespace holdfast::blob
