#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "faults/report.hpp"

namespace bulkhead::faults {
namespace {

using ordered = nlohmann::ordered_json;
using row = std::vector<std::string>;

std::string cell(const ordered& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  std::array<char, 40> room{};
  std::snprintf(room.data(), room.size(), "%.2f", value.get<double>());
  return room.data();
}

std::string ms(const ordered& us) {
  std::array<char, 40> room{};
  std::snprintf(room.data(), room.size(), "%.2f", us.get<double>() / 1000);
  return room.data();
}

// Right-aligned but for the first column.
std::string columns(const std::vector<row>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& one : rows)
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (i >= widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], one[i].size());
    }
  std::string text;
  for (const auto& one : rows) {
    text += ' ';
    for (std::size_t i = 0; i < one.size(); ++i) {
      const std::string room(widths[i] - one[i].size(), ' ');
      text += i == 0 ? " " + one[i] + room : "  " + room + one[i];
    }
    text += '\n';
  }
  return text;
}

std::string answers(const ordered& one) {
  std::string text;
  for (const auto& [status, count] : one.at("answered").items())
    text += (text.empty() ? "" : " ") + status + ":" + count.dump();
  return text;
}

std::string fault_rows(const ordered& all) {
  std::vector<row> rows{{"faults", "injected", "unexpected", "closed", "reset", "left", "refused",
                         "skipped", "answered"}};
  for (const auto& one : all) {
    row next{one.at("kind").get<std::string>() + " " + one.at("target").get<std::string>()};
    for (const auto* key :
         {"injected", "unexpected", "closed", "reset", "left", "refused", "skipped"})
      next.push_back(cell(one.at(key)));
    next.push_back(answers(one));
    rows.push_back(std::move(next));
  }
  return columns(rows);
}

std::string latency_rows(const ordered& healthy) {
  std::vector<row> rows{{"healthy latency in ms", "requests", "p50", "p99", "p99.9", "max"}};
  for (const auto& one : healthy.at("latency"))
    rows.push_back(
        {one.at("loop").get<std::string>() + " loop, " + one.at("phase").get<std::string>(),
         cell(one.at("requests")), ms(one.at("p50_us")), ms(one.at("p99_us")),
         ms(one.at("p999_us")), ms(one.at("max_us"))});
  return columns(rows);
}

std::string batch_rows(const ordered& batches) {
  std::vector<row> rows{{"batch", "p99 ms", "with faults", "recovery ms", "KiB", "fds", "threads",
                         "processes", "refused"}};
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto& one = batches[i];
    const auto p99 = [&](const char* key) {
      return one.contains(key) ? ms(one.at(key).at("p99_us")) : "-";
    };
    const auto held = [&](const char* key) { return one.contains(key) ? cell(one.at(key)) : "-"; };
    rows.push_back({std::to_string(i + 1), p99("without"), p99("with"), cell(one.at("recovery_ms")),
                    held("resident_kib"), held("descriptors"), held("threads"), held("processes"),
                    cell(one.at("sessions_refused"))});
  }
  return columns(rows);
}

std::string check_rows(const ordered& checks) {
  std::vector<row> rows{{"verdict", "found", "bound", ""}};
  for (const auto& one : checks)
    rows.push_back({one.at("what"), one.at("found"), one.at("bound"),
                    one.at("bound") == "any"      ? "-"
                    : one.at("holds").get<bool>() ? "holds"
                                                  : "BROKEN"});
  return columns(rows);
}

std::string lines(const ordered& samples, const std::string& before) {
  std::string text;
  for (const auto& one : samples) text += before + one.get<std::string>() + '\n';
  return text;
}

}  // namespace

std::string as_table(const ordered& report) {
  std::string text = report.at("scenario").get<std::string>() + ", seed " +
                     report.at("seed").dump() + ", " + report.at("duration_s").dump() + " s in " +
                     std::to_string(report.at("batches").size()) +
                     " batches: " + report.at("about").get<std::string>() + "\n\n";
  text += fault_rows(report.at("faults"));
  text += lines(report.at("skipped_kinds"), "  not given, for want of HTTPS: ");
  text += lines(report.at("fault_samples"), "  unexpected: ");
  text += '\n' + latency_rows(report.at("healthy"));
  text += lines(report.at("healthy").at("samples"), "  mishap: ");
  text += '\n' + batch_rows(report.at("batches")) + '\n' + check_rows(report.at("checks"));
  const bool holds = report.at("holds");
  text += holds ? "\nEvery bound holds.\n"
                : "\nA bound is BROKEN. The same again: " + report.at("replay").get<std::string>() +
                      "\n";
  if (!holds && report.contains("server_log"))
    text += "The server's last lines:\n" + report.at("server_log").get<std::string>();
  return text;
}

}  // namespace bulkhead::faults
