#include "faults/scenario.hpp"

// Tens of thousands of lines: only this source includes it.
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <utility>

#include "faults/builtin.hpp"
#include "faults/kinds.hpp"
#include "sandbox/outcome.hpp"

namespace bulkhead::faults {
namespace {

constexpr std::int64_t millions = 1'000'000;
constexpr std::size_t scenario_bytes_max = 1 << 20;

// The keys of one table: each is taken by what knows it, and what is left over is unknown.
class keys {
 public:
  keys(const std::string& file, const toml::table& table, std::string prefix = {})
      : file_(file), table_(table), prefix_(std::move(prefix)) {}

  [[noreturn]] void fail(std::string_view key, const std::string& what) const {
    const auto* node = table_.get(key);
    const auto line = (node ? node->source() : table_.source()).begin.line;
    throw scenario_error(file_ + ':' + std::to_string(line) + ": " + prefix_ + std::string(key) +
                         ": " + what);
  }
  bool has(std::string_view key) const { return table_.contains(key); }

  void take(std::string_view key, std::string& to) {
    if (const auto* node = find(key)) {
      const auto* text = node->as_string();
      if (!text) fail(key, "not a string");
      to = text->get();
    }
  }
  void take(std::string_view key, bool& to) {
    if (const auto* node = find(key)) {
      const auto* value = node->as_boolean();
      if (!value) fail(key, "neither true nor false");
      to = value->get();
    }
  }
  std::int64_t whole(std::string_view key, std::int64_t otherwise, std::int64_t lowest,
                     std::int64_t highest) {
    const auto* node = find(key);
    if (!node) return otherwise;
    const auto* number = node->as_integer();
    if (!number || number->get() < lowest || number->get() > highest)
      fail(key,
           "not a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return number->get();
  }
  double number(std::string_view key, double otherwise, double highest) {
    const auto* node = find(key);
    if (!node) return otherwise;
    const auto value = node->value<double>();
    if (!value || !(*value >= 0 && *value <= highest))
      fail(key, "not a number from 0 to " + std::to_string(static_cast<std::int64_t>(highest)));
    return *value;
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> all;
    each(key, "an array of strings", [&](const toml::node& one) {
      const auto* text = one.as_string();
      if (text) all.push_back(text->get());
      return text != nullptr;
    });
    return all;
  }
  std::vector<int> statuses(std::string_view key) {
    std::vector<int> all;
    each(key, "an array of statuses, or 0 for no answer", [&](const toml::node& one) {
      const auto* status = one.as_integer();
      if (!status || status->get() < 0 || status->get() > 599) return false;
      all.push_back(static_cast<int>(status->get()));
      return true;
    });
    return all;
  }
  // A number, or "any" for none.
  template <class Number>
  void bound(std::string_view key, std::optional<Number>& to) {
    const auto* node = find(key);
    if (!node) return;
    const auto* text = node->as_string();
    if (text && text->get() == "any") {
      to.reset();
      return;
    }
    const auto value = node->value<double>();
    if (!value || *value < 0) fail(key, "neither a number from 0 on nor \"any\"");
    to = static_cast<Number>(*value);
  }
  void tables(std::string_view key, const std::function<void(keys)>& visit) {
    each(key, "an array of tables, [[" + std::string(key) + "]]", [&](const toml::node& one) {
      const auto* table = one.as_table();
      if (table) visit(keys(file_, *table, std::string(key) + '.'));
      return table != nullptr;
    });
  }
  void table(std::string_view key, const std::function<void(keys)>& visit) {
    if (const auto* node = find(key)) {
      const auto* inner = node->as_table();
      if (!inner) fail(key, "not a table");
      visit(keys(file_, *inner, std::string(key) + '.'));
    }
  }
  // Of strings.
  std::map<std::string, std::string> text_table(std::string_view key) {
    std::map<std::string, std::string> all;
    table(key, [&](keys inner) {
      for (const auto& [name, node] : inner.table_) {
        const auto* text = node.as_string();
        if (!text) inner.fail(name.str(), "not a string");
        all[std::string(name.str())] = text->get();
      }
    });
    return all;
  }
  // What nobody took, as TOML.
  std::string rest() const {
    auto left = table_;
    for (const auto& key : known_) left.erase(key);
    std::ostringstream text;
    text << toml::toml_formatter(left);
    return text.str();
  }
  std::string where() const { return file_ + ':' + std::to_string(table_.source().begin.line); }
  void end() const {
    for (const auto& [key, node] : table_)
      if (!known_.contains(std::string(key.str()))) fail(key.str(), "unknown key");
  }

 private:
  const toml::node* find(std::string_view key) {
    known_.emplace(key);
    return table_.get(key);
  }
  void each(std::string_view key, const std::string& what,
            const std::function<bool(const toml::node&)>& visit) {
    const auto* node = find(key);
    if (!node) return;
    const auto* array = node->as_array();
    if (!array) fail(key, "not " + what);
    for (const auto& one : *array)
      if (!visit(one)) fail(key, "not " + what);
  }

  const std::string& file_;
  const toml::table& table_;
  std::string prefix_;
  std::set<std::string> known_;
};

healthy_clients read_healthy(keys from) {
  healthy_clients one;
  from.take("method", one.method);
  from.take("target", one.target);
  if (!one.target.starts_with('/')) from.fail("target", "does not begin with /");
  one.status = static_cast<int>(from.whole("status", one.status, 200, 599));
  if (from.has("content")) from.take("content", one.content.emplace());
  one.send_bytes = static_cast<std::size_t>(from.whole("send_bytes", 0, 0, 16 * millions));
  from.take("tls", one.tls);
  one.clients = static_cast<unsigned>(from.whole("clients", 1, 1, 256));
  one.pause = std::chrono::milliseconds(from.whole("pause_ms", one.pause.count(), 0, millions));
  one.rate = from.number("rate", 0, 100'000);
  if (one.rate > 0 && from.has("pause_ms")) from.fail("pause_ms", "not beside rate");
  if (one.send_bytes > 0 && one.content) from.fail("content", "not beside send_bytes");
  from.end();
  return one;
}

bool is_outcome(const std::string& name) {
  using sandbox::outcome_kind;
  for (auto i = static_cast<int>(outcome_kind::response); i <= static_cast<int>(outcome_kind::gone);
       ++i)
    if (name == sandbox::to_string(static_cast<outcome_kind>(i))) return true;
  return false;
}

hosted_handler read_handler(keys from) {
  hosted_handler one;
  from.take("path", one.path);
  if (!one.path.starts_with('/')) from.fail("path", "does not begin with /");
  from.take("file", one.file);
  if (one.file.empty()) from.fail("file", "there is none");
  one.rest = from.rest();
  one.where = from.where();
  return one;
}

// One for each target that it names.
std::vector<fault> read_faults(keys from) {
  fault one;
  from.take("kind", one.kind);
  if (!find_kind(one.kind)) from.fail("kind", "unknown kind '" + one.kind + "'");
  auto targets = from.texts("targets");
  if (from.has("targets") && from.has("target")) from.fail("targets", "not beside target");
  if (!from.has("targets")) from.take("target", targets.emplace_back());
  for (const auto& target : targets)
    if (target.empty() ? one.kind == "request" : !target.starts_with('/'))
      from.fail(from.has("targets") ? "targets" : "target", "does not begin with /");
  from.take("method", one.method);
  one.expect = from.statuses("expect");
  from.take("outcome", one.outcome);
  if (!one.outcome.empty() && !is_outcome(one.outcome))
    from.fail("outcome", "there is no outcome '" + one.outcome + "'");
  one.count = static_cast<std::size_t>(from.whole("count", 0, 0, millions));
  one.rate = from.number("rate", 0, 10'000);
  one.standing = static_cast<std::size_t>(from.whole("standing", 0, 0, 100'000));
  if ((one.count > 0) + (one.rate > 0) + (one.standing > 0) != 1)
    from.fail("kind", "wants one of count, rate and standing");
  from.end();
  std::vector<fault> all;
  for (auto& target : targets) {
    all.push_back(one);
    all.back().target = std::move(target);
  }
  return all;
}

bounds read_bounds(keys from, bounds all = {}) {
  from.bound("lost", all.lost);
  from.bound("wrong", all.wrong);
  from.bound("disturbed", all.disturbed);
  from.bound("unexpected", all.unexpected);
  from.bound("p99_ratio", all.p99_ratio);
  from.bound("recovery_ms", all.recovery_ms);
  from.bound("memory_growth_kib", all.memory_growth_kib);
  from.bound("descriptors_growth", all.descriptors_growth);
  from.bound("threads_growth", all.threads_growth);
  from.bound("processes_growth", all.processes_growth);
  from.bound("processes_changed", all.processes_changed);
  from.end();
  return all;
}

scenario read_scenario(const std::string& name, const toml::table& document) {
  scenario all;
  all.name = name;
  keys from(name, document);
  from.take("about", all.about);
  all.duration = std::chrono::seconds(from.whole("duration_s", 60, 1, millions));
  all.batches = static_cast<unsigned>(from.whole("batches", 4, 1, 10'000));
  from.table("server", [&](keys server) {
    all.server_options = server.texts("options");
    all.server_descriptors_max =
        static_cast<std::size_t>(server.whole("descriptors_max", 0, 32, millions));
    all.files = server.text_table("files");
    server.end();
  });
  from.tables("healthy", [&](keys one) { all.healthy.push_back(read_healthy(std::move(one))); });
  from.tables("handler", [&](keys one) { all.handlers.push_back(read_handler(std::move(one))); });
  from.tables("fault", [&](keys one) {
    for (auto& each : read_faults(std::move(one))) all.faults.push_back(std::move(each));
  });
  from.table("bounds", [&](keys one) { all.accepted = read_bounds(std::move(one)); });
  from.end();
  if (all.healthy.empty()) throw scenario_error(name + ":1: there is no [[healthy]]");
  return all;
}

toml::table parse(const std::string& name, std::string_view text) try {
  return toml::parse(text);
} catch (const toml::parse_error& wrong) {
  throw scenario_error(name + ':' + std::to_string(wrong.source().begin.line) + ": " +
                       std::string(wrong.description()));
}

const builtin_file* find_builtin(const std::string& name) {
  const auto all = builtin_scenarios();
  const auto found = std::ranges::find(all, name, &builtin_file::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

scenario parse_scenario(const std::string& name, std::string_view text) {
  return read_scenario(name, parse(name, text));
}

bounds parse_bounds(const std::string& name, std::string_view text, const bounds& from) {
  const auto document = parse(name, text);
  return read_bounds(keys(name, document), from);
}

std::string scenario_text(const std::string& name) {
  if (const auto* found = find_builtin(name)) return std::string(found->text);
  std::ifstream file(name, std::ios::binary);
  std::string text(scenario_bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > scenario_bytes_max) throw scenario_error(name + ": larger than 1 MiB");
  if (file.is_open() && !file.bad()) return text;
  std::string known;
  for (const auto& one : builtin_scenarios()) known.append(" ").append(one.name);
  throw scenario_error(name + ": no such file, and no scenario of that name; there are:" + known);
}

scenario load_scenario(const std::string& name) {
  return parse_scenario(name, scenario_text(name));
}

}  // namespace bulkhead::faults
