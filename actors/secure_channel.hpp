// TLS between a connection's socket and its session: the engine and the encrypted bytes
// that it has not taken or that the socket has not.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "actors/request.hpp"
#include "tls/engine.hpp"

namespace bulkhead::actors {

class secure_channel {
 public:
  explicit secure_channel(std::shared_ptr<tls::configurations> from) : engine_(std::move(from)) {}

  tls::engine& engine() { return engine_; }
  const tls::engine& engine() const { return engine_; }

  // What the engine has not taken, with `fresh` bytes behind it: those themselves when there
  // is nothing before them. keep_untaken() then says how much of it a call took, and copies
  // what is left.
  std::string_view with(std::string_view fresh);
  void keep_untaken(std::string_view input, std::size_t taken);

  // What is to be sent: the engine appends here.
  std::string& output() { return output_; }
  std::string_view unsent() const { return std::string_view(output_).substr(sent_); }
  void advance(std::size_t bytes);

  // Once the handshake is done: what handlers see of it. Lives as long as this.
  const tls_facts& facts();
  // Whether a request for this host came on the connection of another one, whose rules
  // for clients may differ (RFC 9110 section 7.4).
  bool is_misdirected(std::string_view authority) const;

  // Gives back the memory of empty buffers.
  void shrink();
  std::size_t held_bytes() const;

 private:
  tls::engine engine_;
  std::string received_;
  std::string output_;
  std::size_t taken_ = 0;
  std::size_t sent_ = 0;
  std::unique_ptr<tls_facts> facts_;
};

}  // namespace bulkhead::actors
