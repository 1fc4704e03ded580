// docs/OPERATIONS.md.
#include <algorithm>
#include <cstdint>
#include <variant>

#include "actors/access_format.hpp"
#include "actors/cli/handler_settings.hpp"
#include "actors/cli/manual/explanations.hpp"
#include "actors/cli/manual/manual.hpp"
#include "actors/metrics.hpp"
#include "actors/reload.hpp"

namespace bulkhead::cli {
namespace {

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string row(std::initializer_list<std::string_view> cells) {
  std::string text = "|";
  for (const auto each : cells) text.append(" ").append(each).append(" |");
  return text + "\n";
}

std::string default_and_range(const setting& one) {
  config defaults;
  defaults.handlers.emplace_back();  // for the rows of [[handler]]
  if (const auto* number = std::get_if<number_setting>(&one.kind))
    return std::to_string(number->get(defaults)) + " (" + std::to_string(number->range.min) +
           " to " + std::to_string(number->range.max) + ")";
  if (const auto* text = std::get_if<text_setting>(&one.kind)) {
    const auto& value = text->in(defaults);
    return value.empty() ? "none" : value;
  }
  const auto texts = std::get<texts_setting>(one.kind).get(defaults);
  return texts.empty() ? "none" : texts.front();
}

// Whether a reload keeps the value that the server was started with.
bool needs_restart(const setting& one) {
  const config current;
  config next;
  if (const auto* number = std::get_if<number_setting>(&one.kind))
    number->set(next, number->get(next) + 1);
  else if (const auto* text = std::get_if<text_setting>(&one.kind))
    text->in(next) += "x";
  else
    std::get<texts_setting>(one.kind).set(next, {"x", "y"});
  return !actors::keep_for_now(current, next).empty();
}

std::string settings_table() {
  std::string text =
      row({"setting", "flag", "what it is", "default (from to)", "unit", "why", "changes"});
  text += "|---|---|---|---|---|---|---|\n";
  for (const auto& one : settings()) {
    const auto words = explain(one);
    text += row({code(full_name(one)), code(one.flag), one.help, default_and_range(one), words.unit,
                 words.why, needs_restart(one) ? "at a restart" : "at a reload"});
  }
  return text;
}

std::string handlers_table() {
  std::string text = row({"key", "what it is", "default (from to)", "unit", "why"});
  text += "|---|---|---|---|---|\n";
  for (const auto& one : handler_settings()) {
    const auto words = explain(one);
    text += row({code(one.key), one.help, default_and_range(one), words.unit, words.why});
  }
  return text;
}

std::string reasons_table() {
  std::string text = row({"reason", "level", "when"}) + "|---|---|---|\n";
  for (std::size_t i = 0; i < reason_count; ++i) {
    const auto why = static_cast<reason>(i);
    text += row({code(name_of(why)), level_of(why), explain(why)});
  }
  return text;
}

// From what is scraped: "# HELP name text", "# TYPE name kind", then samples.
std::string metrics_table() {
  std::string text = row({"metric", "type", "what it is"}) + "|---|---|---|\n";
  actors::metrics_snapshot shown;
  shown.guests.emplace_back();  // there are none without a handler in a sandbox
  const auto scraped = actors::render(shown);
  constexpr std::string_view help = "# HELP ";
  constexpr std::string_view type = "# TYPE ";
  for (auto at = scraped.find(help); at != scraped.npos; at = scraped.find(help, at)) {
    const auto line = std::string_view(scraped).substr(at + help.size());
    const auto name = line.substr(0, line.find(' '));
    const auto words = line.substr(name.size() + 1, line.find('\n') - name.size() - 1);
    const auto kind = line.substr(line.find(type) + type.size() + name.size() + 1);
    text += row({code(name), kind.substr(0, kind.find('\n')), words});
    at += help.size();
  }
  return text;
}

// From a record as it is written: what comes before each colon.
std::string log_fields_table() {
  std::string line;
  append_line(line, log_format::json, {}, {});
  std::string text = row({"field", "what it is"}) + "|---|---|\n";
  for (auto end = line.find("\":"); end != line.npos; end = line.find("\":", end + 1)) {
    const auto begin = line.rfind('"', end - 1) + 1;
    const auto name = std::string_view(line).substr(begin, end - begin);
    text += row({code(name), explain_log_field(name)});
  }
  return text;
}

constexpr std::string_view beginning = R"(# Operations

Written by `bulkhead manual operations` from the program's own tables; a test compares. What is
behind a setting is in [config.hpp](../actors/config.hpp) and [limits.hpp](../protocol/limits.hpp),
how the program behaves in [actors/cli/](../actors/cli/README.md).

## Settings

A file of TOML, where `limits.head_bytes_max` is `head_bytes_max` in the table `[limits]`, or a flag,
which wins. A limit is the last value that is accepted. `bulkhead check FILE` tells every fault of a
file without starting anything; `bulkhead config` prints what is in force and where it came from.

)";

constexpr std::string_view on_handlers = R"(
## Handlers

Each `[[handler]]` of the file is one that runs in a sandbox ([HANDLERS.md](HANDLERS.md)). A reload
adds, removes and replaces them, files that were replaced included, and touches no other.

)";

constexpr std::string_view on_signals = R"(
## Signals

To the process that was started; workers are its own business.

| signal | what it does |
|---|---|
| SIGTERM, SIGINT | drains: listeners close, an idle connection may still send a request for `deadlines.drain_grace_ms`, requests that have begun are answered with `Connection: close`; after `deadlines.drain_ms` whatever is left is cut. The second one stops at once |
| SIGHUP | reads the file of settings and all certificates again; with any fault nothing changes, and a line for each says why. The access log's file is opened anew, so rename it first to rotate |

Exit codes: 0 done; 1 something failed, such as an address in use; 2 command line or settings are wrong.

## Reasons

One word for why a request, or a connection without one, ended: the same in the access log and in
`bulkhead_requests_total`. Records of level debug are those that a client can cause at will; beyond a
rate they are summed up in a line of their own.

)";

constexpr std::string_view log_fields = R"(
## Access log

A line a request (`access_log`), as JSON with every field always there:

)";

constexpr std::string_view log_events = R"(
Lines with an `event` are about records that are not there: `dropped` (no room, or a failed write;
`records` says how many) and `suppressed` (the same fault many times; `reasons` says how many of each).
Standard error has the process's own doings, a line each: starts, reloads, crashes of workers with
signal, request id and route, exceptions of handlers.

## Metrics

`admin_listen` serves `/metrics` for Prometheus; `/healthz` answers 200 while the process serves, and
`/readyz` 503 as soon as it drains; `/handlers` lists handlers in sandboxes: whether they can be had,
their last faults and what they had logged. Nobody is asked for a password: bind it where only
operators reach it.

)";

}  // namespace

std::string operations() {
  std::string text(beginning);
  text.append(settings_table()).append(on_handlers).append(handlers_table());
  text.append(on_signals).append(reasons_table());
  text.append(log_fields).append(log_fields_table());
  text.append(log_events).append(metrics_table());
  return text;
}

}  // namespace bulkhead::cli
