// What a soak does: whom it serves well, whom badly, and what it accepts. One small TOML file each.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::faults {

// Clients that ask as one should and judge each answer.
struct healthy_clients {
  std::string method{"GET"};
  std::string target{"/"};
  int status = 200;
  std::optional<std::string> content{};  // of the answer; nothing: what the first one had
  std::size_t send_bytes = 0;            // of content, from the seed; the answer has to have it
  bool tls = false;
  unsigned clients = 1;                // each over a connection of its own
  std::chrono::milliseconds pause{2};  // closed loop: between an answer and the next request
  double rate = 0;                     // open loop: requests a second of all together; 0: closed
};

// Either so many in a batch or so many a second, at times that the seed chooses; or so many that
// are there all the time.
struct fault {
  std::string kind{};
  std::string target{};       // empty: what the kind has
  std::string method{"GET"};  // of the kind "request"
  // Statuses that are in order, 0 for an end without an answer; empty: as the kind says.
  std::vector<int> expect{};
  // How the handler in a sandbox that it meets counts it, a name of sandbox::outcome_kind; empty:
  // as no fault.
  std::string outcome{};
  std::size_t count = 0;
  double rate = 0;
  std::size_t standing = 0;
};

// A [[handler]] that the tool's own server hosts in a sandbox.
struct hosted_handler {
  std::string path{};   // a pattern: /process/{deed}
  std::string file{};   // relative to the folder of guests, unless it is absolute
  std::string rest{};   // its other keys as TOML, for the server to judge
  std::string where{};  // "name:line", for who misses the file
};

// The most that is accepted; nothing: any.
struct bounds {
  std::optional<std::uint64_t> lost{0};        // healthy requests without an answer
  std::optional<std::uint64_t> wrong{0};       // with another status or content
  std::optional<std::uint64_t> disturbed{0};   // healthy clients' connections that ended
  std::optional<std::uint64_t> unexpected{0};  // faults that ended otherwise than they may
  std::optional<double> p99_ratio{};           // with faults to without, median of the batches
  std::optional<std::uint64_t> recovery_ms{10'000};
  std::optional<std::uint64_t> memory_growth_kib{16 * 1024};  // over all batches behind the first
  std::optional<std::uint64_t> descriptors_growth{8};
  std::optional<std::uint64_t> threads_growth{16};
  std::optional<std::uint64_t> processes_growth{0};
  // After any batch, more or fewer than before the first faults; recovery waits for it.
  std::optional<std::uint64_t> processes_changed{0};
};

struct scenario {
  std::string name{};
  std::string about{};
  std::chrono::seconds duration{60};  // of all batches, without start and end
  unsigned batches = 4;               // each half without faults, half with
  // Of the server that the tool starts: flags of `bulkhead serve`, and a limit of descriptors.
  std::vector<std::string> server_options{};
  std::size_t server_descriptors_max = 0;  // 0: as it is
  std::vector<hosted_handler> handlers{};
  // Served beside the handlers, without a sandbox: name and content. The demo is not, with
  // handlers.
  std::map<std::string, std::string> files{};
  std::vector<healthy_clients> healthy{};
  std::vector<fault> faults{};
  bounds accepted{};
};

class scenario_error : public std::runtime_error {
  using runtime_error::runtime_error;
};

// `text` is TOML, `name` what errors call it. Throws scenario_error, "name:line: key: what".
scenario parse_scenario(const std::string& name, std::string_view text);

// `from` with those that `text`, lines of a [bounds] table, says otherwise. Throws as above.
bounds parse_bounds(const std::string& name, std::string_view text, const bounds& from);

// One that is built in, or the file of that name. Throws scenario_error.
scenario load_scenario(const std::string& name);
std::string scenario_text(const std::string& name);

}  // namespace bulkhead::faults
