// Clients that ask as one should, for as long as they live.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "actors/client.hpp"
#include "faults/recorder.hpp"
#include "faults/scenario.hpp"

namespace bulkhead::faults {

struct healthy_origins {
  std::string plain;   // "http://127.0.0.1:8080"
  std::string secure;  // empty: there is none
  client_settings settings{};
};

// What an answer has to be.
struct judged_request {
  std::string what;  // "GET /hello"
  client_request request;
  int status;
  std::string content;
};

// With what one answer had as content, when the scenario does not say; `seed` makes what is sent.
// Throws std::runtime_error: there is no such answer to begin with.
judged_request judge(const healthy_clients& what, const healthy_origins& at, std::uint64_t seed);

// Starts the threads; closed loops ask when they were answered, open ones at their times, which
// is when latency begins, however late the request goes out.
class healthy_traffic {
 public:
  // Throws as judge(). `to` must outlive it.
  healthy_traffic(const std::vector<healthy_clients>& all, const healthy_origins& at,
                  std::uint64_t seed, recorder& to);
  // Ends when the last answers are there.
  ~healthy_traffic() = default;

 private:
  std::vector<std::jthread> threads_;
};

}  // namespace bulkhead::faults
