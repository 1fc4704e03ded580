// A blocking client for tests: exact bytes out, whole answers in.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace bulkhead::tests {

// One TCP connection to a server on this machine. Every wait ends after ten
// seconds: a test then fails on what it got instead of hanging.
class client {
 public:
  // `address` as server::addresses() gives it. Throws std::runtime_error.
  explicit client(const std::string& address);
  client(client&& other) noexcept : fd_(other.fd_), unread_(std::move(other.unread_)) {
    other.fd_ = -1;
  }
  client& operator=(client&&) = delete;
  ~client();

  // False: the connection does not take it any more.
  bool send(std::string_view bytes);
  // Ends the sending side; answers can still be read.
  void half_close();
  // Ends the connection by a reset.
  void reset();

  // The next answer, head and content, for a request with that method; interim
  // responses are skipped. Empty: none came whole.
  std::string answer(std::string_view method = "GET");
  // Sends and reads.
  std::string ask(std::string_view bytes, std::string_view method = "GET");

  // Everything until the server ends the connection, or `limit` bytes.
  std::string rest(std::size_t limit = 1u << 30);
  // Whether the server ends the connection, without another byte, in that time.
  bool ends_within(std::chrono::milliseconds time);
  // Whether the end was a reset; meaningful behind rest() or ends_within().
  bool was_reset() const { return was_reset_; }

  int fd() const { return fd_; }

 private:
  // Reads once. False: the end.
  bool fill();

  int fd_ = -1;
  std::string unread_;
  bool was_reset_ = false;
  bool timed_out_ = false;
};

// The status of an answer; 0 when it has none.
int status_of(std::string_view answer);
std::string content_of(const std::string& answer);

// "GET /path HTTP/1.1" with a Host field.
std::string get(std::string_view path, std::string_view more_fields = {});

}  // namespace bulkhead::tests
