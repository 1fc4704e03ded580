// Files that are no modules, ask for too much, or try to become more than a module on the way to an
// object.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <utility>

#include "sandbox/wasm/inspect.hpp"
#include "sandbox/wasm/translate.hpp"
#include "tests/sandbox/wasm/room.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

// A module that keeps the contract, but for `more`.
std::string text_with(const std::string& imports, const std::string& more = {}) {
  return "(module " + imports +
         "(memory (export \"memory\") 2)"
         "(func (export \"bulkhead_handle\") (param i32 i32 i32 i32) (result i32)"
         "  (i32.const -1))" +
         more + ")";
}

std::string read_octets(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string refusal_of_text(const std::string& text) {
  const auto file = assembled(text);
  const auto why = inspect(read_octets(file)).error;
  // Whoever loads it hears the same.
  const auto loaded = refusal_of(small_module(file));
  CHECK(loaded.find(why) != std::string::npos);
  CHECK(loaded.starts_with(file));
  std::filesystem::remove(file);
  return loaded;
}

struct refused_module {
  std::string imports, more, why;
};

TEST_CASE("a module that breaks the contract is refused with the reason", "[sandbox][wasm]") {
  const auto all = std::vector<refused_module>{
      {R"((import "env" "system" (func (param i32)))
          (import "bulkhead" "log" (func (param i32 i32)))
          (import "wasi_snapshot_preview1" "path_open" (func)))",
       "", "env.system, wasi_snapshot_preview1.path_open"},
      {R"((import "bulkhead" "log" (func (param i64 i32))))", "", "bulkhead.log with another type"},
      {R"((import "env" "g" (global i32)))", "", "no function: env.g"},
      {R"((import "env" "t" (table 1 funcref)))", "", "no function: env.t"},
      {"", R"((func (export "x*/ int evil; /*")))", "not plain: x*/ int evil; /*"},
      {"", R"((func (export "x\5c\0a")))", "not plain: x\\?"},
      {"", R"((func (export "_initialize") (param i32)))", "_initialize with another type"},
      {"", R"((func (export "_start")))", "-mexec-model=reactor"},
      {"", "(table 1 externref)", "something that is no function"},
      {"", "(global (mut funcref) (ref.null func))", "no number"},
  };
  const auto& one = GENERATE_REF(from_range(all));
  CAPTURE(one.imports, one.more);
  CHECK(refusal_of_text(text_with(one.imports, one.more)).find(one.why) != std::string::npos);
}

TEST_CASE("a module without a handler or a memory is refused", "[sandbox][wasm]") {
  CHECK(refusal_of_text("(module (memory (export \"memory\") 1) (func))").find("bulkhead_handle") !=
        std::string::npos);
  CHECK(refusal_of_text("(module (func (export \"bulkhead_handle\")))").find("another type") !=
        std::string::npos);
  CHECK(refusal_of_text("(module (func (export \"bulkhead_handle\") (param i32 i32 i32 i32)"
                        " (result i32) (i32.const 0)))")
            .find("its memory") != std::string::npos);
}

TEST_CASE("a module that wants more than its limits is refused", "[sandbox][wasm]") {
  const auto wrong = [](const std::string& text) {
    const auto file = assembled(text);
    const auto why = refusal_of(small_module(file));
    std::filesystem::remove(file);
    return why;
  };
  auto big = text_with("");
  big.replace(big.find(") 2)"), 4, ") 513)");
  CHECK(wrong(big).find("begins with 513 pages, 512 are allowed") != std::string::npos);
  CHECK(wrong(text_with("", "(table 65537 funcref)")).find("more than 65536 elements") !=
        std::string::npos);
}

TEST_CASE("a file that is larger than any module is refused without being read",
          "[sandbox][wasm]") {
  const auto file = assembled(text_with(""));
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  const auto why = refusal_of(small_module(file));
  std::filesystem::remove(file);
  CHECK(why == file + ": larger than 64 MiB");
}

TEST_CASE("what a module does while it is loaded is contained", "[sandbox][wasm]") {
  const auto before = count_holdings();
  const auto why_not = [](const std::string& deed) {
    const auto file = assembled(text_with("", "(func $deed " + deed + ") (start $deed)"));
    auto settings = small_module(file);
    settings.load_max = 100ms;
    const auto why = refusal_of(settings);
    std::filesystem::remove(file);
    return why;
  };
  CHECK(why_not("unreachable").find("constructors: unreachable") != std::string::npos);
  CHECK(why_not("(loop (br 0))").find("constructors: cut off") != std::string::npos);
  CHECK(why_not("(i32.store (i32.const -4) (i32.const 1))").find("out of bounds") !=
        std::string::npos);
  CHECK(why_not("nop").empty());
  CHECK(count_holdings() == before);
}

// Bulk operations are checked in one comparison, before the first octet.
TEST_CASE("bulk operations beyond a module's memory trap", "[sandbox][wasm]") {
  const auto* deed = GENERATE("(memory.fill (i32.const 65536) (i32.const 1) (i32.const 65537))",
                              "(memory.copy (i32.const 0) (i32.const 65536) (i32.const 65537))",
                              "(memory.fill (i32.const 0) (i32.const 1) (i32.const -1))",
                              "(memory.copy (i32.const -8) (i32.const 0) (i32.const 16))");
  const auto file = assembled(
      "(module (memory (export \"memory\") 2)"
      "(func (export \"bulkhead_handle\") (param i32 i32 i32 i32) (result i32)" +
      std::string(deed) + "(i32.const -1)))");
  const auto here = load(small_module(file));
  std::filesystem::remove(file);
  const auto result = ask(*here, "/");
  CHECK(result.kind == outcome_kind::trap);
  CHECK(result.detail.find("out of bounds") != std::string::npos);
}

TEST_CASE("every prefix of a module is refused", "[sandbox][wasm]") {
  const auto whole = read_octets(guests + "hostile.wasm");
  REQUIRE(inspect(whole).error.empty());
  // All that is read lies before some 20 KiB of code.
  for (std::size_t bytes = 0; bytes < 2000; ++bytes) {
    CAPTURE(bytes);
    REQUIRE_FALSE(inspect(whole.substr(0, bytes)).error.empty());
  }
}

TEST_CASE("octets that were changed never pass what reads them unharmed", "[sandbox][wasm]") {
  // Its outcome is any: that it has one is what AddressSanitizer looks at.
  auto module = read_octets(BULKHEAD_EXAMPLE_MODULE);
  REQUIRE(inspect(module).error.empty());
  std::size_t refused = 0;
  for (std::size_t at = 8; at < 300; ++at)
    for (const auto value : {0x00, 0x7f, 0x80, 0xff}) {
      const auto before = std::exchange(module[at], static_cast<char>(value));
      if (!inspect(module).error.empty()) ++refused;
      module[at] = before;
    }
  CHECK(refused > 300);
}

TEST_CASE("a module of nonsense is refused by who translates it", "[sandbox][wasm]") {
  const auto file = assembled(text_with(""));
  auto octets = read_octets(file);
  std::filesystem::remove(file);
  // Its code section is the last one: an instruction that does not exist.
  octets[octets.size() - 2] = '\xf0';
  std::ofstream(file, std::ios::binary) << octets;
  CHECK(refusal_of(small_module(file)).find("wasm2c refuses it") != std::string::npos);
  std::filesystem::remove(file);
}

TEST_CASE("an object in the cache is made once", "[sandbox][wasm]") {
  const auto cache = std::string(BULKHEAD_WASM_CACHE) + "/once-" + std::to_string(getpid());
  const auto file = assembled(text_with(""));
  const auto first = translate({file, cache, 60s});
  CHECK(first.error.empty());
  CHECK(first.path.starts_with(cache));
  struct stat before = {}, after = {};
  REQUIRE(stat(first.path.c_str(), &before) == 0);
  CHECK(translate({file, cache, 60s}).path == first.path);
  REQUIRE(stat(first.path.c_str(), &after) == 0);
  CHECK(before.st_ino == after.st_ino);
  // And nothing else is left there.
  CHECK(std::distance(std::filesystem::directory_iterator(cache), {}) == 1);

  CHECK(translate({file, cache + "/time", 1ns}).error.find("too long") != std::string::npos);
  CHECK(std::filesystem::is_empty(cache + "/time"));
  std::filesystem::permissions(cache, std::filesystem::perms::all);
  CHECK(translate({file, cache, 60s}).error.find("others may write to it") != std::string::npos);
  std::filesystem::remove_all(cache);
  std::filesystem::remove(file);
}

// A disk that was full, a power cut, a bad block, a hand: whatever lies there, what runs is what
// was built.
TEST_CASE("an object in the cache that is not what was built is built again", "[sandbox][wasm]") {
  const auto cache = std::string(BULKHEAD_WASM_CACHE) + "/damaged-" + std::to_string(getpid());
  const auto file = assembled(text_with(""));
  auto settings = small_module(file);
  settings.cache = cache;
  const auto before = count_holdings();
  const auto made = translate({file, cache, 60s}).path;
  const auto whole = read_octets(made);
  const auto other = translate({guests + "hostile.wasm", cache, 60s}).path;
  const auto write = [&](const std::string& octets) {
    std::filesystem::remove(made);
    std::ofstream(made, std::ios::binary) << octets;
  };
  auto flipped = whole;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  for (const auto& damaged :
       {whole.substr(0, whole.size() / 2), std::string(), std::string("x"), whole + "x", flipped,
        read_octets(other), std::string(whole.size(), '\0')}) {
    CAPTURE(damaged.size());
    write(damaged);
    CHECK(ask(*load(settings), "/").kind == outcome_kind::exception);
    struct stat healed = {};
    REQUIRE(stat(made.c_str(), &healed) == 0);
    // The same inode from now on: it is as it should be.
    static_cast<void>(load(settings));
    struct stat again = {};
    REQUIRE(stat(made.c_str(), &again) == 0);
    CHECK(healed.st_ino == again.st_ino);
  }
  std::filesystem::remove(made);
  REQUIRE(mkfifo(made.c_str(), 0600) == 0);
  CHECK(ask(*load(settings), "/").kind == outcome_kind::exception);
  {
    // Code that runs is beyond it.
    const auto running = load(settings);
    std::filesystem::resize_file(made, 0);
    CHECK(ask(*running, "/").kind == outcome_kind::exception);
  }
  CHECK(count_holdings() == before);
  std::filesystem::remove_all(cache);
  std::filesystem::remove(file);
}

}  // namespace
