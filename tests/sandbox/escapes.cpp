// What a guest tries to reach from its sandbox.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;

struct attempt {
  const char* target;
  const char* refused;  // how, where there is a filter; "SIGSYS": the process is ended
};
std::ostream& operator<<(std::ostream& to, const attempt& one) {
  return to << one.target;
}

const attempt attempts[] = {
    {"/fork", "EPERM"},        {"/fork-bomb", "0"},           {"/descriptors", "EPERM"},
    {"/make-file", "EPERM"},   {"/socket", "EPERM"},          {"/unix-socket", "EPERM"},
    {"/exec", "EPERM"},        {"/kill-parent", "EPERM"},     {"/kill-all", "EPERM"},
    {"/exec-memory", "EPERM"}, {"/make-executable", "EPERM"}, {"/write", "EPERM"},
    {"/truncate", "EPERM"},    {"/setuid", "EPERM"},          {"/ptrace", "SIGSYS"},
    {"/mount", "SIGSYS"},
};

TEST_CASE("a guest's way out is refused", "[sandbox][escape]") {
  house here;
  if (!here.executor().held().has(layer::seccomp)) {
    WARN("no seccomp here: not tried");
    return;
  }
  const auto& one = GENERATE(from_range(std::begin(attempts), std::end(attempts)));
  CAPTURE(one);
  const auto id = here.add();
  here.settle(id);
  const auto result = here.ask(id, one.target);
  if (std::string(one.refused) == "SIGSYS")
    CHECK(result.signal == SIGSYS);
  else
    CHECK(text_of(result) == one.refused);
  CHECK(text_of(here.ask(id, "/ok")) == "ok");
  CHECK_FALSE(std::filesystem::exists("/tmp/bulkhead-was-here"));
}

TEST_CASE("a guest opens no file", "[sandbox][escape]") {
  house here;
  const auto id = here.add();
  for (const auto* path : {"/etc/passwd", "/proc/self/maps", "/", "/dev/null"})
    CHECK(text_of(here.ask(id, "/open", path)) != "0");
}

TEST_CASE("a guest starts no thread", "[sandbox][escape]") {
  house here;
  if (!here.executor().held().has(layer::seccomp)) return;
  CHECK(text_of(here.ask(here.add(), "/thread")) != "started");
}

TEST_CASE("a guest cannot signal the server or its neighbours", "[sandbox][escape]") {
  house here;
  const auto id = here.add();
  CHECK(text_of(here.ask(id, "/kill", std::to_string(getpid()))) != "0");
  CHECK(text_of(here.ask(id, "/ok")) == "ok");
}

}  // namespace
