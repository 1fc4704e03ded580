// Handlers in this process itself.
#include "sandbox/inline/executor.hpp"

#include <stdlib.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

std::unique_ptr<inline_executor> load_inline(const std::string& file) {
  auto made = inline_executor::load({.file = file, .response_bytes_max = 64u << 10});
  if (!made.value) FAIL(made.error);
  return std::move(made.value);
}

outcome ask_inline(inline_executor& handler, std::string_view target,
                   std::string_view content = {}) {
  return handler.call(blob_of(target, content), std::chrono::steady_clock::now());
}

TEST_CASE("an inline handler answers what it answers in a process", "[sandbox][inline]") {
  house here;
  const auto other = here.add(small(BULKHEAD_EXAMPLE_GUEST));
  const auto own = load_inline(BULKHEAD_EXAMPLE_GUEST);
  for (const auto* target : {"/hello", "/headers", "/sum", "/nowhere"}) {
    const auto inside = ask_inline(*own, target, "1 2 39");
    const auto outside = here.ask(other, target, "1 2 39");
    CHECK(inside.blob == outside.blob);
    CHECK(inside.log == outside.log);
  }
}

TEST_CASE("what an inline handler throws or returns is an outcome", "[sandbox][inline]") {
  const auto here = load_inline(guests + "hostile.so");
  CHECK(ask_inline(*here, "/throw").detail == "thrown on purpose");
  CHECK(ask_inline(*here, "/throw-number").kind == outcome_kind::exception);
  CHECK(ask_inline(*here, "/failed").kind == outcome_kind::exception);
  CHECK(ask_inline(*here, "/no-memory").kind == outcome_kind::out_of_memory);
  CHECK(ask_inline(*here, "/too-large").kind == outcome_kind::protocol);
  CHECK(ask_inline(*here, "/beyond").kind == outcome_kind::protocol);
  CHECK(ask_inline(*here, "/code").kind == outcome_kind::protocol);
  CHECK(ask_inline(*here, "/bad-magic").kind == outcome_kind::protocol);
  CHECK(text_of(ask_inline(*here, "/budgets")) == "sane");
  const auto much = ask_inline(*here, "/log");
  CHECK(much.log.size() <= 16u << 10);
  CHECK(much.log.ends_with("l\n"));
}

TEST_CASE("an inline handler is called by several threads", "[sandbox][inline]") {
  const auto here = load_inline(BULKHEAD_EXAMPLE_GUEST);
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto text = std::to_string(t * 1000 + i);
        wrong += text_of(ask_inline(*here, "/echo", text)) == text ? 0 : 1;
      }
    });
  for (auto& one : all) one.join();
  CHECK(wrong == 0);
}

TEST_CASE("a file of an inline handler that is replaced is another object", "[sandbox][inline]") {
  std::string folder = std::filesystem::temp_directory_path() / "bulkhead-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()));
  const auto file = folder + "/handler.so";
  std::filesystem::copy_file(guests + "hostile.so", file);
  const auto before = count_belongings();
  {
    const auto old = load_inline(file);
    // In its place, not beside it.
    std::filesystem::copy_file(BULKHEAD_EXAMPLE_GUEST, file,
                               std::filesystem::copy_options::overwrite_existing);
    const auto fresh = load_inline(file);
    CHECK(text_of(ask_inline(*fresh, "/hello")) == "Hello from a sandbox!\n");
    CHECK(text_of(ask_inline(*old, "/ok")) == "ok");
  }
  CHECK(count_belongings() == before);
  std::filesystem::remove_all(folder);
}

TEST_CASE("an inline handler is what its file is and not what an earlier one was",
          "[sandbox][inline]") {
  // Of these the C library keeps some when they are closed.
  for (int i = 0; i < 3; ++i) {
    CHECK(text_of(ask_inline(*load_inline(guests + "hostile.so"), "/ok")) == "ok");
    CHECK(text_of(ask_inline(*load_inline(BULKHEAD_EXAMPLE_GUEST), "/hello")) ==
          "Hello from a sandbox!\n");
  }
}

TEST_CASE("what is no inline handler is refused with its name", "[sandbox][inline]") {
  for (const std::string& file : {std::string("/etc/passwd"), std::string("/no/such/object.so"),
                                  guests + "at_load_no_handler.so"}) {
    const auto made = inline_executor::load({.file = file});
    CHECK_FALSE(made.value);
    CHECK_THAT(made.error, Catch::Contains(file));
  }
}

}  // namespace
