// What a hostile peer does on its connection, step by step.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bulkhead::faults {

enum class act : std::uint8_t {
  send,         // bytes, as fast as they are taken
  drip,         // bytes, `count` of them each `pause`
  pause,        // neither sends nor reads for so long
  handshake,    // TLS from here on
  send_cut,     // bytes as one TLS record of which the second half never comes
  read,         // until `count` bytes are here in all, 0: until the server ends; `pause` at most
  read_slowly,  // `count` bytes each `pause`, until the server ends
  half_close,   // ends the sending side
  reset,        // ends the connection by a reset
};

struct step {
  act what;
  std::string bytes{};
  std::chrono::milliseconds pause{};
  std::size_t count = 0;
};

// Behind the last step the connection is closed. However far it is, the server's end is the end.
struct script {
  std::vector<step> steps{};
  std::chrono::milliseconds limit{10'000};  // then the peer leaves, by a reset
  bool tls = false;                         // it goes to the port for HTTPS
  // Statuses that the first answer may have, 0 for none; empty: any.
  std::vector<int> expect{};
  // Behind a refusal (4xx, 5xx) nothing more may be answered.
  bool refusal_is_last = false;
};

}  // namespace bulkhead::faults
