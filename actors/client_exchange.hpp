// One request of a blocking client and its answer, over a connection that is there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "actors/client.hpp"
#include "actors/client_wire.hpp"
#include "protocol/client_connection.hpp"
#include "protocol/event.hpp"
#include "protocol/response_head.hpp"
#include "protocol/write_error.hpp"

namespace bulkhead::actors {

// What lasts from one exchange to the next.
struct client_link {
  // Throws client_error. Origin and limits must outlive it.
  client_link(const origin& to, SSL_CTX* context, const protocol::limits& bounds,
              client_wire::time_point until)
      : wire(to, context, until), connection(bounds), head(bounds.fields_max) {}

  client_wire wire;
  protocol::client_connection connection;
  protocol::response_head head;
  std::string in;
  std::string out;
};

class client_exchange {
 public:
  using time_point = client_wire::time_point;

  // Borrows everything for run().
  client_exchange(client_link& link, const origin& to, const client_request& asked,
                  const client_streams& streams)
      : link_(link), to_(to), asked_(asked), streams_(streams) {}

  // Nothing: the connection ended without an octet of an answer. Throws as client::send().
  std::optional<client_answer> run(time_point until, time_point continue_until);

  bool asked_source() const { return asked_source_; }
  // Behind an answer: the connection may have another.
  bool keeps_connection() const;

 private:
  void begin();
  void feed();
  void ask_source();
  void read_events();
  void take_head();
  void take_end(std::string_view trailers);
  void stop_sending();
  bool end_input();
  void wait();
  void require(std::optional<protocol::write_error> fault) const;
  [[noreturn]] void fail(client_failure why, std::string_view reason) const;

  client_link& link_;
  const origin& to_;
  const client_request& asked_;
  const client_streams& streams_;
  time_point until_;
  time_point continue_until_;
  client_answer answer_;
  std::string piece_;            // of the source
  std::string_view unsent_;      // of the piece, or of the request's own content
  bool has_all_content_ = true;  // nothing comes behind what is unsent
  bool asked_source_ = false;
  bool has_octets_ = false;  // of an answer
  bool has_ended_ = false;   // the answer
};

}  // namespace bulkhead::actors
