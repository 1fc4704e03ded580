#include "actors/guest_report.hpp"

#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>

#include "actors/describe.hpp"

namespace bulkhead::actors {

namespace {

using json = nlohmann::ordered_json;

std::string_view budget_name(sandbox::budget_kind budget) {
  return budget == sandbox::budget_kind::wall  ? "wall"
         : budget == sandbox::budget_kind::cpu ? "cpu"
                                               : "";
}

double in_ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

json as_json(const fault_record& one) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(one.at);
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(one.at - seconds).count();
  json object{
      {"time", fmt::format("{:%FT%T}.{:03}Z", seconds, ms)},
      {"request", fmt::format("{:016x}", one.request_id)},
      {"outcome", sandbox::to_string(one.kind)},
      {"detail", one.detail},
      {"wall_ms", in_ms(one.wall)},
      {"cpu_ms", in_ms(one.cpu)},
  };
  if (one.kind == sandbox::outcome_kind::deadline) object["budget"] = budget_name(one.budget);
  if (one.signal != 0) {
    object["signal"] = signal_name(one.signal);
  } else if (one.kind == sandbox::outcome_kind::crashed) {
    object["exit_code"] = one.exit_code;
  }
  if (one.site.is_known()) object["program_counter"] = one.site.program_counter;
  if (!one.site.symbol.empty()) object["symbol"] = one.site.symbol;
  if (!one.site.address.empty()) object["fault_address"] = one.site.address;
  if (!one.log.empty()) object["log"] = one.log;
  return object;
}

json as_json(const guest& one) {
  json outcomes = json::object();
  for (std::size_t i = 0; i < guest::outcome_count; ++i) {
    const auto kind = static_cast<sandbox::outcome_kind>(i);
    outcomes[sandbox::to_string(kind)] = one.ended(kind);
  }
  auto faults = json::array();
  for (const auto& each : one.faults().all()) faults.push_back(as_json(each));
  const auto now = std::chrono::steady_clock::now();
  json object{{"path", one.settings().path},
              {"run", one.settings().run},
              {"file", one.settings().file},
              {"requests", outcomes},
              {"circuit", name_of(one.breaker().now(now))},
              {"circuit_opened", one.breaker().times_opened()}};
  const auto failure = one.failure();
  object["available"] = failure.empty();
  if (!failure.empty()) object["failure"] = failure;
  object["faults"] = std::move(faults);
  return object;
}

}  // namespace

std::string_view name_of(circuit_breaker::state now) {
  return now == circuit_breaker::state::closed ? "closed"
         : now == circuit_breaker::state::open ? "open"
                                               : "probing";
}

std::string describe_guests(const guest_list& all) {
  auto list = json::array();
  for (const auto& each : all) list.push_back(as_json(*each));
  // What a guest wrote may be no UTF-8.
  return list.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bulkhead::actors
