// The figures of a Bulkhead server's admin listener.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "actors/client.hpp"

namespace bulkhead::faults {

// "bulkhead_requests_total{reason=\"served\"}" to its value.
using metrics = std::map<std::string, double, std::less<>>;

metrics parse_metrics(std::string_view text);
double value_of(const metrics& in, std::string_view name);

class metrics_reader {
 public:
  // "http://127.0.0.1:9090"
  explicit metrics_reader(const std::string& origin);
  // Nothing: it does not answer, as while a worker is replaced.
  std::optional<metrics> read();

 private:
  client client_;
};

}  // namespace bulkhead::faults
