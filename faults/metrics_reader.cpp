#include "faults/metrics_reader.hpp"

#include <cstdlib>
#include <functional>

namespace bulkhead::faults {

metrics parse_metrics(std::string_view text) {
  metrics all;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto space = line.rfind(' ');
    if (line.starts_with('#') || space == std::string_view::npos) continue;
    all[std::string(line.substr(0, space))] =
        std::strtod(std::string(line.substr(space + 1)).c_str(), nullptr);
  }
  return all;
}

double value_of(const metrics& in, std::string_view name) {
  const auto found = in.find(name);
  return found == in.end() ? 0 : found->second;
}

metrics_reader::metrics_reader(const std::string& origin)
    : client_(origin, {.deadlines = {.connect = std::chrono::seconds(2),
                                     .exchange = std::chrono::seconds(2)}}) {}

std::optional<metrics> metrics_reader::read() try {
  const auto answer = client_.get("/metrics");
  if (answer.status != 200) return std::nullopt;
  return parse_metrics(answer.content);
} catch (const client_error&) {
  return std::nullopt;
}

}  // namespace bulkhead::faults
