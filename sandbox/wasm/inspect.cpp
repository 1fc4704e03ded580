#include "sandbox/wasm/inspect.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

namespace bulkhead::sandbox {
namespace {

struct malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// i and I: 32 and 64 bits; parameters, then ':', then results.
struct known_import {
  std::string_view module, name, type;
};
constexpr std::string_view ours = "bulkhead", wasi = "wasi_snapshot_preview1";
constexpr known_import known[] = {
    {ours, "wall_left_ns", ":I"},        {ours, "cpu_left_ns", ":I"},
    {ours, "memory_bytes_max", ":I"},    {ours, "log", "ii:"},
    {wasi, "clock_time_get", "iIi:i"},   {wasi, "random_get", "ii:i"},
    {wasi, "fd_write", "iiii:i"},        {wasi, "fd_close", "i:i"},
    {wasi, "fd_seek", "iIii:i"},         {wasi, "fd_fdstat_get", "ii:i"},
    {wasi, "environ_sizes_get", "ii:i"}, {wasi, "environ_get", "ii:i"},
    {wasi, "poll_oneoff", "iiii:i"},     {wasi, "sched_yield", ":i"},
    {wasi, "proc_exit", "i:"},
};

class reader {
 public:
  explicit reader(std::string_view bytes) : left_(bytes) {}

  bool is_at_end() const { return left_.empty(); }
  std::uint8_t octet() { return static_cast<std::uint8_t>(take(1).front()); }
  std::string_view take(std::size_t bytes) {
    if (bytes > left_.size()) throw malformed("it ends in the middle");
    const auto taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  std::string_view name() { return take(number()); }
  // LEB128 of at most 32 bits.
  std::uint32_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto next = octet();
      value |= std::uint64_t{next & 0x7fu} << shift;
      if (next < 0x80) {
        if (value > UINT32_MAX) break;
        return static_cast<std::uint32_t>(value);
      }
    }
    throw malformed("a number of more than 32 bits");
  }
  void skip_signed() {
    for (int i = 0; i < 10; ++i)
      if (octet() < 0x80) return;
    throw malformed("a number of more than 64 bits");
  }
  // Each element takes an octet at least.
  std::uint32_t count() {
    const auto value = number();
    if (value > left_.size()) throw malformed("a count beyond its section");
    return value;
  }

 private:
  std::string_view left_;
};

// Fit to be shown, and to be copied into a comment.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= 256 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-' || c == '$';
  });
}

std::string shown(std::string_view name) {
  std::string text(name.substr(0, 64));
  for (auto& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

class module_reader {
 public:
  explicit module_reader(std::string_view module) : all_(module) {}

  wasm_inspection read() {
    if (all_.is_at_end() || all_.take(4) != std::string_view("\0asm", 4))
      throw malformed("no WebAssembly module");
    if (all_.take(4) != std::string_view("\1\0\0\0", 4))
      throw malformed("not version 1 of the binary format");
    while (!all_.is_at_end()) section();
    found_.import_modules = static_cast<unsigned>(modules_.size());
    check();
    return std::move(found_);
  }

 private:
  void section() {
    const auto id = all_.octet();
    reader in(all_.take(all_.number()));
    switch (id) {
      case 1:
        return each(in, [&] { type(in); });
      case 2:
        return each(in, [&] { import(in); });
      case 3:
        return each(in, [&] { functions_.push_back(in.number()); });
      case 4:
        return each(in, [&] { table(in); });
      case 6:
        return each(in, [&] { global(in); });
      case 7:
        return each(in, [&] { one_export(in); });
      case 10:
        has_code_ = true;
        return;
      default:
        return;
    }
  }

  template <class Do>
  static void each(reader& in, const Do& what) {
    for (auto left = in.count(); left > 0; --left) what();
  }

  void type(reader& in) {
    if (in.octet() != 0x60) throw malformed("a type that is no function's");
    if (types_.size() == 10'000) throw malformed("more than 10000 types");
    std::string text;
    values(in, text);
    text += ':';
    values(in, text);
    types_.push_back(text);
  }
  static void values(reader& in, std::string& text) {
    const auto count = in.count();
    if (count > 1000) throw malformed("a function of more than 1000 parameters or results");
    for (auto left = count; left > 0; --left) text += letter(in.octet());
  }
  static char letter(std::uint8_t type) {
    switch (type) {
      case 0x7f:
        return 'i';
      case 0x7e:
        return 'I';
      case 0x7d:
        return 'f';
      case 0x7c:
        return 'F';
      case 0x70:
        return 'r';
      default:
        throw malformed("a type of values that is not supported");
    }
  }
  std::string_view type_of(std::uint32_t index) const {
    if (index >= types_.size()) throw malformed("a type that is not there");
    return types_[index];
  }

  void import(reader& in) {
    const auto module = in.name();
    const auto name = in.name();
    const auto kind = in.octet();
    // Others have other lengths: but then the module is refused anyway, with what came so far.
    if (kind != 0)
      throw malformed("it imports something that is no function: " + shown(module) + "." +
                      shown(name));
    const auto type = type_of(in.number());
    functions_.push_back(0);
    ++imported_functions_;
    const auto* one = std::find_if(std::begin(known), std::end(known), [&](const auto& k) {
      return k.module == module && k.name == name;
    });
    if (one == std::end(known)) return unknown(module, name);
    if (one->type != type)
      throw malformed("it imports " + shown(module) + "." + shown(name) + " with another type");
    modules_.insert(module);
    found_.uses_cpu_left |= name == "cpu_left_ns";
  }
  void unknown(std::string_view module, std::string_view name) {
    if (++unknown_count_ <= 16)
      unknown_ += (unknown_.empty() ? "" : ", ") + shown(module) + "." + shown(name);
  }

  static void table(reader& in) {
    if (in.octet() != 0x70) throw malformed("a table of something that is no function");
    const bool has_max = (in.octet() & 1) != 0;
    in.number();
    if (has_max) in.number();
  }

  // References in there could not be moved to another instance.
  static void global(reader& in) {
    const auto type = in.octet();
    if (type < 0x7c || type > 0x7f) throw malformed("a global variable that is no number");
    in.octet();
    for (;;) switch (in.octet()) {
        case 0x0b:
          return;
        case 0x41:
        case 0x42:
          in.skip_signed();
          break;
        case 0x43:
          in.take(4);
          break;
        case 0x44:
          in.take(8);
          break;
        default:
          throw malformed("a global variable that does not begin with a constant");
      }
  }

  void one_export(reader& in) {
    const auto name = in.name();
    const auto kind = in.octet();
    const auto index = in.number();
    if (!is_plain(name)) throw malformed("it exports a name that is not plain: " + shown(name));
    if (name == "memory" && kind == 2) has_memory_ = true;
    if (name == "_start") has_start_ = true;
    if (kind != 0) return;
    exported_.emplace_back(name, index);
  }

  // A function of that name and type; false: none of that name.
  bool has(std::string_view name, std::string_view type) const {
    for (const auto& [exported, index] : exported_) {
      if (exported != name) continue;
      if (index < imported_functions_ || index >= functions_.size() ||
          type_of(functions_[index]) != type)
        throw malformed("it exports " + std::string(name) + " with another type");
      return true;
    }
    return false;
  }

  void check() {
    if (!has_code_) throw malformed("it has no code");
    if (!unknown_.empty())
      throw malformed("it imports what the server does not have: " + unknown_ +
                      (unknown_count_ > 16 ? " and more" : ""));
    found_.has_initialize = has("_initialize", ":");
    if (has_start_ && !found_.has_initialize)
      throw malformed("it was linked as a program: link it with -mexec-model=reactor");
    if (!has("bulkhead_handle", "iiii:i")) throw malformed("it does not export bulkhead_handle");
    if (!has_memory_) throw malformed("it does not export its memory");
  }

  reader all_;
  wasm_inspection found_;
  std::vector<std::string> types_;
  std::vector<std::uint32_t> functions_;  // their types; those that are imported come first
  std::size_t imported_functions_ = 0;
  std::vector<std::pair<std::string_view, std::uint32_t>> exported_;
  std::set<std::string_view> modules_;
  std::string unknown_;
  std::size_t unknown_count_ = 0;
  bool has_memory_ = false;
  bool has_start_ = false;
  bool has_code_ = false;
};

}  // namespace

wasm_inspection inspect(std::string_view module) try {
  return module_reader(module).read();
} catch (const malformed& why) {
  wasm_inspection refused;
  refused.error = why.what();
  return refused;
}

}  // namespace bulkhead::sandbox
