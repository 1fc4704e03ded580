#include "actors/cli/load_config.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "actors/cli/handler_settings.hpp"
#include "actors/cli/toml_file.hpp"

namespace bulkhead::cli {
namespace {

const setting* find(std::string_view table, std::string_view key) {
  for (const auto& each : settings())
    if (each.table == table && each.key == key) return &each;
  return nullptr;
}

bool is_table(std::string_view name) {
  for (const auto& each : settings())
    if (!name.empty() && each.table == name) return true;
  return false;
}

constexpr std::string_view handler_table = "handler";

const setting* find_in_handler(std::string_view key) {
  for (const auto& each : handler_settings())
    if (each.key == key) return &each;
  return nullptr;
}

std::string allowed_in_handler() {
  std::string names;
  for (const auto& each : handler_settings())
    names.append(names.empty() ? "" : ", ").append(each.key);
  return names;
}

// "listen, threads, [limits], [deadlines]": what may stand in a table, or at the top level.
std::string allowed_in(std::string_view table) {
  std::string names;
  std::string_view last_table;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const auto& each : settings()) {
    if (each.table == table) add(std::string(each.key));
    if (table.empty() && each.table != last_table) add("[" + std::string(each.table) + "]");
    last_table = each.table;
  }
  if (table.empty()) add("[[handler]]");
  return names;
}

std::string wanted_by(const setting& one) {
  const auto* number = std::get_if<number_setting>(&one.kind);
  if (const auto* text = std::get_if<text_setting>(&one.kind)) return std::string(text->what);
  if (const auto* texts = std::get_if<texts_setting>(&one.kind)) return std::string(texts->what);
  return "a whole number from " + std::to_string(number->range.min) + " to " +
         std::to_string(number->range.max);
}

std::string kind_of(const toml_value& value) {
  if (std::holds_alternative<std::int64_t>(value)) return "an integer";
  if (std::holds_alternative<std::string>(value)) return "a string";
  if (std::holds_alternative<std::vector<std::string>>(value)) return "an array";
  return std::string(std::get<other_value>(value).what);
}

class loader {
 public:
  void read_file(const std::string& path) {
    const auto toml = read_toml(path);
    const auto at = [&](std::size_t line) {
      return line == 0 ? path : path + ":" + std::to_string(line);
    };
    for (const auto& fault : toml.faults) error(at(fault.line), fault.what);
    for (const auto& entry : toml.entries) take_entry(entry, at(entry.line));
  }

  void take_flag(const setting& one, const std::vector<std::string>& texts) {
    const std::string flag(one.flag);
    if (const auto* number = std::get_if<number_setting>(&one.kind))
      set(one, *number, texts.back(), flag, flag);
    else if (const auto* text = std::get_if<text_setting>(&one.kind))
      set(one, *text, texts.back(), flag, flag);
    else
      set(one, texts, flag, flag);
  }

  loaded_config finish() {
    // Of values that were refused nothing can be said.
    if (loaded_.errors.empty()) {
      compare();
      require_handler_keys();
    }
    const auto& listen = *find("", "listen");
    if (loaded_.settings.listen.empty() && loaded_.settings.tls_listen.empty())
      error(loaded_.origins.at(&listen),
            "listen: empty, where " + wanted_by(listen) + " is wanted, or tls_listen");
    return std::move(loaded_);
  }

 private:
  void error(const std::string& at, const std::string& what) {
    loaded_.errors.push_back(at + ": " + what);
  }

  void take_entry(const toml_entry& entry, const std::string& at) {
    const bool top = entry.table.empty();
    if (entry.table == handler_table) return take_of_handler(entry, at);
    if (entry.begins_table) return;
    if (top && entry.key == handler_table) {
      const auto kind = kind_of(entry.value);
      if (kind != "an array of tables")
        error(at, "handler: " + kind + ", where tables, [[handler]], are wanted");
      return;
    }
    if (!top && !is_table(entry.table)) return;  // said once, of the table
    const auto name = top ? entry.key : entry.table + "." + entry.key;
    if (top && is_table(entry.key)) {
      const auto kind = kind_of(entry.value);
      if (kind != "a table") error(at, name + ": " + kind + ", where a table is wanted");
    } else if (const auto* known = find(entry.table, entry.key)) {
      set(*known, entry.value, at + ": " + name, at);
    } else {
      error(at, name + ": unknown key; allowed " + (top ? "here" : "in [" + entry.table + "]") +
                    ": " + allowed_in(entry.table));
    }
  }

  void take_of_handler(const toml_entry& entry, const std::string& at) {
    if (entry.index == 0) return;  // said once, of the table
    loaded_.settings.handlers.resize(std::max(entry.index, loaded_.settings.handlers.size()));
    loaded_.handler_origins.resize(loaded_.settings.handlers.size());
    if (entry.begins_table) return handler_begins_.push_back(at);
    const auto* known = find_in_handler(entry.key);
    if (known)
      set(*known, entry.value, at + ": handler." + entry.key, at);
    else
      error(at, "handler." + entry.key +
                    ": unknown key; allowed in [[handler]]: " + allowed_in_handler());
  }

  void remember(const setting& one, const std::string& origin) {
    auto& where = one.table == handler_table ? loaded_.handler_origins.back() : loaded_.origins;
    where[&one] = origin;
  }

  // `named` tells in errors what is meant, `origin` is kept.
  void set(const setting& one, const toml_value& value, const std::string& named,
           const std::string& origin) {
    const auto* number = std::get_if<number_setting>(&one.kind);
    const auto* integer = std::get_if<std::int64_t>(&value);
    const auto* text = std::get_if<std::string>(&value);
    const auto* texts = std::get_if<std::vector<std::string>>(&value);
    if (number && integer)
      set(one, *number, std::to_string(*integer), named, origin);
    else if (const auto* kind = std::get_if<text_setting>(&one.kind); kind && text)
      set(one, *kind, *text, named, origin);
    else if (std::holds_alternative<texts_setting>(one.kind) && texts)
      set(one, *texts, named, origin);
    else
      error(named, kind_of(value) + ", where " + wanted_by(one) + " is wanted");
  }

  void set(const setting& one, const number_setting& kind, const std::string& text,
           const std::string& named, const std::string& origin) {
    const auto value = whole_number(text, kind.range);
    if (!value) return error(named, not_in(kind.range, text));
    kind.set(loaded_.settings, *value);
    remember(one, origin);
  }

  void set(const setting& one, const text_setting& kind, const std::string& text,
           const std::string& named, const std::string& origin) {
    if (!text.empty())
      if (const auto fault = kind.fault(text)) return error(named, *fault);
    kind.in(loaded_.settings) = text;
    remember(one, origin);
  }

  void set(const setting& one, const std::vector<std::string>& texts, const std::string& named,
           const std::string& origin) {
    const auto& kind = std::get<texts_setting>(one.kind);
    for (const auto& text : texts)
      if (const auto fault = kind.fault(text)) error(named, *fault);
    kind.set(loaded_.settings, texts);
    remember(one, origin);
  }

  void require_handler_keys() {
    for (std::size_t i = 0; i < handler_begins_.size(); ++i) {
      const auto& one = loaded_.settings.handlers[i];
      const bool no_path = one.path.empty();
      if (no_path || one.file.empty())
        error(handler_begins_[i],
              std::string("[[handler]]: it needs a ") + (!no_path           ? "file"
                                                         : one.file.empty() ? "path and a file"
                                                                            : "path"));
    }
  }

  // Bounds that are another setting.
  void compare() {
    for (const auto& each : settings()) {
      if (each.not_above.empty()) continue;
      const auto& bound = *find(each.table, each.not_above);
      if (value_of(each) > value_of(bound))
        error(place_of(each, bound), shown(each) + " is more than " + shown(bound));
    }
  }

  std::uint64_t value_of(const setting& one) const {
    return std::get<number_setting>(one.kind).get(loaded_.settings);
  }

  // Where to look: at the one that is too large, or, if that is a default, at its bound.
  const std::string& place_of(const setting& one, const setting& bound) const {
    const auto own = loaded_.origins.find(&one);
    return own != loaded_.origins.end() ? own->second : loaded_.origins.at(&bound);
  }

  std::string shown(const setting& one) const {
    return full_name(one) + " = " + std::to_string(value_of(one)) +
           (loaded_.origins.contains(&one) ? "" : " (default)");
  }

  loaded_config loaded_;
  std::vector<std::string> handler_begins_;  // where each of them stands
};

}  // namespace

loaded_config load_config(const std::optional<std::string>& file, const given_flags& flags) {
  loader from;
  if (file) from.read_file(*file);
  for (const auto& [one, texts] : flags)
    if (!texts.empty()) from.take_flag(*one, texts);
  return from.finish();
}

}  // namespace bulkhead::cli
