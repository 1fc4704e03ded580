#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "faults/plot.hpp"
#include "faults/report.hpp"

namespace bulkhead::faults {
namespace {

using page_json = nlohmann::ordered_json;
using points = std::vector<std::pair<double, double>>;

constexpr double us_per_ms = 1000;
constexpr double latency_floor_ms = 0.01;

constexpr const char* style = R"(
:root{--ink:#1a202c;--dim:#5a6575;--paper:#fff;--rule:#e2e8f0;--quiet:#2b6cb0;--faults:#c2410c;
--band:#fdf0e6;--good:#2f855a;--bad:#c53030;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e2e8f0;--dim:#9aa6b8;--paper:#151a21;--rule:#2d3642;
--quiet:#63a4e8;--faults:#f2945c;--band:#2a211a;--good:#68d391;--bad:#fc8181}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;
margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.1rem;margin:2rem 0 .4rem}
p{margin:.4rem 0}.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad);font-weight:600}
code{font-size:.9em;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.2rem .7rem .2rem 0;text-align:right;border-bottom:1px solid var(--rule);
white-space:nowrap}th{font-weight:600;color:var(--dim);white-space:normal;vertical-align:bottom}th:first-child,td:first-child,.text{text-align:left}
svg{width:100%;height:auto;display:block;margin-bottom:.5rem}svg text{font-size:11px;fill:var(--dim)}
.rule{stroke:var(--rule);fill:none}.line{fill:none;stroke-width:1.6}.line.thin{stroke-width:1;opacity:.7}
.line.dashed{stroke-dasharray:5 3}
.quiet{stroke:var(--quiet);color:var(--quiet)}.faults{stroke:var(--faults);color:var(--faults)}
.dot{stroke:none;fill:currentColor}.dot.broken{fill:var(--bad)}.band{fill:var(--band)}
.few{display:grid;grid-template-columns:repeat(auto-fit,minmax(22rem,1fr));gap:0 1rem}
.key i{display:inline-block;width:1.6em;height:0;border-top:2px solid;vertical-align:middle;
margin:0 .3em 0 1em}.key i.dashed{border-top-style:dashed}.key b{display:inline-block;width:1.2em;height:.8em;
background:var(--band);border:1px solid var(--rule);vertical-align:middle;margin:0 .3em 0 1em}
)";

std::string number(const page_json& value, int digits = 2) {
  if (value.is_null()) return "–";
  if (!value.is_number_float()) return value.dump();
  std::array<char, 40> room{};
  std::snprintf(room.data(), room.size(), "%.*f", digits, value.get<double>());
  return room.data();
}

std::string in_ms(const page_json& us) {
  return number(us.get<double>() / us_per_ms);
}

// Cells are HTML.
std::string table(const std::vector<std::string>& heads,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<div class='wide'><table><tr>";
  for (const auto& head : heads) html += "<th>" + escaped(head) + "</th>";
  html += "</tr>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (const auto& cell : row) html += "<td>" + cell + "</td>";
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string checks_table(const page_json& checks) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& one : checks)
    rows.push_back({escaped(one.at("what")), escaped(one.at("found")), escaped(one.at("bound")),
                    one.at("bound") == "any"      ? "<span class='dim'>–</span>"
                    : one.at("holds").get<bool>() ? "<span class='good'>holds</span>"
                                                  : "<span class='bad'>broken</span>"});
  return table({"", "found", "bound", ""}, rows);
}

axis latency_axis(double highest_us) {
  return {"ms", latency_floor_ms, std::pow(10, std::ceil(std::log10(highest_us / us_per_ms))),
          true};
}

std::string seconds_plot(const page_json& seconds, const page_json& phases) {
  double highest = 1000;
  for (const auto& one : seconds) highest = std::max(highest, one.at("max_us").get<double>());
  const auto count = static_cast<double>(seconds.size());
  plot all({"seconds since the start", 0, count}, latency_axis(highest), 920, 300);
  for (std::size_t i = 0; i + 1 < phases.size(); ++i)
    if (phases[i].at("phase") == "with faults")
      all.band(phases[i].at("at_s"), phases[i + 1].at("at_s"), "band");
  points half, most, max, broken;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto& one = seconds[i];
    const auto at = static_cast<double>(i);
    if (one.at("mishaps") > 0)
      broken.emplace_back(at + 0.5, one.at("max_us").get<double>() / us_per_ms);
    if (one.at("requests") == 0) continue;
    half.emplace_back(at + 0.5, one.at("p50_us").get<double>() / us_per_ms);
    most.emplace_back(at + 0.5, one.at("p99_us").get<double>() / us_per_ms);
    max.emplace_back(at + 0.5, one.at("max_us").get<double>() / us_per_ms);
  }
  all.line(half, "quiet");
  all.line(most, "faults");
  all.line(max, "faults thin dashed");
  all.dots(broken, "broken");
  return "<p class='key dim'><i class='quiet'></i>median<i class='faults'></i>99th percentile"
         "<i class='faults dashed'></i>slowest<b></b>faults are injected; a red dot is a second in "
         "which "
         "a healthy request was lost or answered wrongly</p>\n" +
         all.svg("Latency of healthy requests, second by second");
}

// Tail first: the axis is logarithmic in what is left above a percentile.
double tail(double percent) {
  return 1 / std::max(1 - percent / 100, 1e-6);
}

std::string percentiles_plot(const page_json& latency) {
  double highest = 1000;
  double last = tail(90);
  for (const auto& one : latency)
    for (const auto& point : one.at("percentiles")) {
      highest = std::max(highest, point[1].get<double>());
      if (point[0] < 100) last = std::max(last, tail(point[0]));
    }
  axis x{"percentile", 1, last, true, {}};
  for (const auto& [percent, says] :
       std::initializer_list<std::pair<double, const char*>>{{0, "0"},
                                                             {50, "50"},
                                                             {90, "90"},
                                                             {99, "99"},
                                                             {99.9, "99.9"},
                                                             {99.99, "99.99"},
                                                             {99.999, "99.999"}})
    if (tail(percent) <= last * 1.001) x.marks.emplace_back(tail(percent), says);
  plot all(std::move(x), latency_axis(highest), 920, 300);
  for (const auto& one : latency) {
    points curve;
    for (const auto& point : one.at("percentiles"))
      if (point[0] < 100) curve.emplace_back(tail(point[0]), point[1].get<double>() / us_per_ms);
    const std::string colour = one.at("phase") == "with faults" ? "faults" : "quiet";
    all.line(curve, one.at("loop") == "open" ? colour + " dashed" : colour);
  }
  return "<p class='key dim'><i class='quiet'></i>without faults<i class='faults'></i>with faults; "
         "dashed: at a fixed rate, counted from when each request was due</p>\n" +
         all.svg("Latency of healthy requests by percentile");
}

std::string small_plot(const page_json& batches, const char* key, const std::string& title,
                       double unit) {
  points all;
  double highest = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (!batches[i].contains(key) || !batches[i].at(key).is_number()) continue;
    all.emplace_back(static_cast<double>(i + 1), batches[i].at(key).get<double>() / unit);
    highest = std::max(highest, all.back().second);
  }
  if (all.empty()) return {};
  axis x{"after batch", 0.5, static_cast<double>(batches.size()) + 0.5, false, {}};
  const auto step = 1 + batches.size() / 10;
  for (std::size_t i = 1; i <= batches.size(); i += step)
    x.marks.emplace_back(static_cast<double>(i), std::to_string(i));
  plot one(std::move(x), {title, 0, highest * 1.2 + 1e-9}, 440, 190);
  one.line(all, "quiet");
  one.dots(all, "quiet");
  return one.svg(title + " after each batch");
}

std::string latency_table(const page_json& latency) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& one : latency)
    rows.push_back({escaped(one.at("loop").get<std::string>() + " loop, " +
                            one.at("phase").get<std::string>()),
                    number(one.at("requests")), in_ms(one.at("p50_us")), in_ms(one.at("p99_us")),
                    in_ms(one.at("p999_us")), in_ms(one.at("max_us"))});
  return table({"ms", "requests", "p50", "p99", "p99.9", "slowest"}, rows);
}

std::string faults_table(const page_json& faults) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& one : faults) {
    std::string answered;
    for (const auto& [status, count] : one.at("answered").items())
      answered += (answered.empty() ? "" : ", ") + count.dump() + " × " + status;
    std::vector<std::string> row{
        escaped(one.at("kind").get<std::string>() + " " + one.at("target").get<std::string>()),
        number(one.at("injected")), number(one.at("unexpected"))};
    for (const auto* key : {"closed", "reset", "left", "refused", "skipped"})
      row.push_back(number(one.at(key)));
    row.push_back(escaped(answered));
    rows.push_back(std::move(row));
  }
  return table({"kind", "injected", "unexpected", "server closed", "server reset", "peer left",
                "no connection", "skipped", "answered"},
               rows);
}

std::string list_of(const page_json& lines, const std::string& before) {
  std::string html;
  for (const auto& one : lines)
    html +=
        "<p class='bad'>" + before + "<code>" + escaped(one.get<std::string>()) + "</code></p>\n";
  return html;
}

std::string verdict_line(const page_json& report) {
  std::uint64_t injected = 0;
  for (const auto& one : report.at("faults")) injected += one.at("injected").get<std::uint64_t>();
  const auto& healthy = report.at("healthy");
  return std::to_string(injected) + " faults beside " + number(healthy.at("requests")) +
         " healthy requests: " + number(healthy.at("lost")) + " lost, " +
         number(healthy.at("wrong")) + " wrong, " + number(healthy.at("disturbed")) +
         " connections disturbed. " +
         (report.at("holds").get<bool>() ? "<span class='good'>Every bound holds.</span>"
                                         : "<span class='bad'>A bound is broken.</span>");
}

}  // namespace

std::string as_page(const nlohmann::ordered_json& report) {
  const auto name = escaped(report.at("scenario"));
  const auto& batches = report.at("batches");
  std::string html = "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>" + name +
                     ": soak report</title>\n<meta name='viewport' "
                     "content='width=device-width'><style>" +
                     style + "</style></head><body>\n<h1>" + name + "</h1>\n<p class='dim'>" +
                     escaped(report.at("about")) + "</p>\n<p>" + verdict_line(report) + "</p>\n" +
                     "<p class='dim'>Against " + escaped(report.at("target")) + ", " +
                     report.at("duration_s").dump() + " s in " + std::to_string(batches.size()) +
                     " batches, ended " + escaped(report.at("ended")) + ", " +
                     report.at("machine").at("cpus").dump() + " CPUs with a load of " +
                     number(report.at("machine").at("load_at_end")) +
                     " then. The same again: <code>" + escaped(report.at("replay")) +
                     "</code></p>\n";
  html += "<h2>Verdict</h2>\n" + checks_table(report.at("checks"));
  html += list_of(report.at("healthy").at("samples"), "Mishap: ") +
          list_of(report.at("fault_samples"), "Unexpected: ");
  html += "<h2>Latency of healthy requests, second by second</h2>\n" +
          seconds_plot(report.at("seconds"), report.at("phases"));
  html += "<h2>Latency of healthy requests by percentile</h2>\n" +
          percentiles_plot(report.at("healthy").at("latency")) +
          latency_table(report.at("healthy").at("latency"));
  html += "<h2>What the server holds after each batch</h2>\n<div class='few'>" +
          small_plot(batches, "resident_kib", "resident memory, MiB", 1024) +
          small_plot(batches, "descriptors", "descriptors", 1) +
          small_plot(batches, "threads", "threads", 1) +
          small_plot(batches, "processes", "processes", 1) +
          small_plot(batches, "recovery_ms", "recovery, ms", 1) + "</div>\n";
  html += "<h2>Faults</h2>\n" + faults_table(report.at("faults"));
  if (report.contains("server_log"))
    html += "<h2>The server's last lines</h2>\n<pre class='wide'>" +
            escaped(report.at("server_log")) + "</pre>\n";
  return html + "</body></html>\n";
}

}  // namespace bulkhead::faults
