// What a tool that was taken over could reach.
#include "sandbox/wasm/confined.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "sandbox/landlock.hpp"
#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

struct folder {
  folder() { REQUIRE(mkdtemp(path.data())); }
  ~folder() { std::filesystem::remove_all(path); }
  std::string path = std::string(BULKHEAD_WASM_CACHE) + "-XXXXXX";
};

confined_run shell(const std::string& command, const std::string& where,
                   std::chrono::nanoseconds time_max = 20s) {
  return run_confined({"/bin/bash", "-c", command}, {where, time_max});
}

TEST_CASE("a confined tool works in its folder", "[sandbox][wasm]") {
  const folder here;
  const auto said = shell("echo written > a && cat a && echo wrong >&2", here.path);
  CHECK(said.succeeded);
  CHECK(said.output == "written\nwrong\n");
  CHECK(std::filesystem::exists(here.path + "/a"));
  CHECK_FALSE(shell("exit 3", here.path).succeeded);
  CHECK_FALSE(run_confined({"/no/such/tool"}, {here.path, 20s}).succeeded);
}

TEST_CASE("a confined tool reaches nothing else", "[sandbox][wasm]") {
  if (landlock_version() == 0) {
    WARN("no Landlock here: not tried");
    return;
  }
  const folder here, other;
  CHECK_FALSE(shell("cat /etc/passwd", here.path).succeeded);
  CHECK_FALSE(shell("echo x > " + other.path + "/b", here.path).succeeded);
  CHECK(std::filesystem::is_empty(other.path));
  const auto tried = shell("echo x > /dev/tcp/127.0.0.1/9", here.path);
  CHECK_FALSE(tried.succeeded);
  CHECK(tried.output.find("refused") == std::string::npos);
  // No capabilities, even of root; no environment of ours.
  CHECK_FALSE(shell("chown 1:1 " + here.path, here.path).succeeded);
  CHECK(shell("echo \"<$HOME>\"", here.path).output == "<>\n");
}

TEST_CASE("a confined tool has a time and an end to what it says", "[sandbox][wasm]") {
  const auto before = bulkhead::tests::count_belongings();
  const folder here;
  CHECK(shell("while :; do :; done", here.path, 100ms).output == "it took too long");
  CHECK(shell("sleep 1000 & sleep 1000", here.path, 100ms).output == "it took too long");
  const auto much = shell("for i in {1..20000}; do echo a line of it; done", here.path);
  CHECK(much.succeeded);
  CHECK(much.output.size() <= 8192);
  CHECK(bulkhead::tests::count_belongings() == before);
}

}  // namespace
