// A response that never changes, as octets: only its Date is written anew.
//
// RFC 9112 sections 4 and 6. Made once from a response, then read by any number of threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "protocol/method.hpp"
#include "protocol/response.hpp"
#include "protocol/response_context.hpp"
#include "protocol/write_error.hpp"

namespace bulkhead::protocol {

class prepared_response {
 public:
  // Throws std::invalid_argument when the response has a source, a file or status 101, which are
  // used up once, or content that its status forbids.
  explicit prepared_response(const response& answer);

  std::uint16_t status() const { return status_; }
  bool closes() const { return closes_; }

  // Why it can't answer a request with this method; nothing when it can.
  std::optional<write_error> find_fault(method request_method) const;

  // Appends what write_head() and the content would be, with the length as framing.
  void write(const head_context& context, std::string& out) const;

 private:
  std::string octets_;          // head for a connection that stays open, with any date; content
  std::size_t head_bytes_ = 0;  // without the empty line
  std::uint16_t date_line_ = 0;
  std::uint16_t status_;
  bool closes_;
};

}  // namespace bulkhead::protocol
