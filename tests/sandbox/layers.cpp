// The same outcomes as root, as an ordinary user, and where the system gives less.
#include "sandbox/layers.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <functional>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

struct expectation {
  const char* target;
  outcome_kind kind;
};
constexpr expectation expectations[] = {
    {"/ok", outcome_kind::response},
    {"/null", outcome_kind::crashed},
    {"/abort", outcome_kind::crashed},
    {"/throw", outcome_kind::exception},
    {"/steps", outcome_kind::out_of_memory},
    {"/loop", outcome_kind::deadline},
    {"/corrupt-numbers", outcome_kind::protocol},
    {"/ok", outcome_kind::response},
};

// What is wrong, for a process that has no test framework.
std::string complaint(process_settings settings, const std::string& file,
                      const std::function<bool(layers)>& suits) {
  try {
    const auto before = count_belongings();
    {
      house here(std::move(settings));
      const auto held = here.executor().held();
      if (!suits(held)) return "unexpected layers: " + to_string(held);
      auto one = small(file);
      one.wall_max = 500ms;
      const auto id = here.add(one);
      for (const auto& [target, kind] : expectations) {
        const auto result = here.ask(id, target);
        if (result.kind != kind) return std::string(target) + ": " + text_of(result);
      }
      if (held.has(layer::seccomp) && text_of(here.ask(id, "/socket")) != "EPERM")
        return "a socket was made";
      here.settle(id);
    }
    return count_belongings() == before ? "" : "something was left behind";
  } catch (const std::exception& failed) {
    return failed.what();
  }
}

// In a process that has become somebody else.
void check_as(const std::function<bool()>& become, process_settings settings,
              const std::function<bool(layers)>& suits) {
  const auto child = fork();
  if (child == 0) {
    // Whoever we become may not see the folder that it lies in.
    const int file = open((guests + "hostile.so").c_str(), O_RDONLY | O_CLOEXEC);
    std::string wrong = become() ? "" : "cannot become it";
    if (wrong.empty())
      wrong = complaint(std::move(settings), "/proc/self/fd/" + std::to_string(file), suits);
    if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
    _exit(wrong.empty() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

// Root without capabilities cannot become anybody, and has no more rights than others.
bool ordinary_user() {
  if (geteuid() != 0) return true;
  if (setresgid(65534, 65534, 65534) != 0) return errno == EPERM;
  return setresuid(65534, 65534, 65534) == 0;
}

// A container that forbids namespaces, mounting and Landlock.
bool in_a_container() {
  constexpr std::uint32_t spaces =
      CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  const auto refuse = [](unsigned error) { return SECCOMP_RET_ERRNO | error; };
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 7, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 16),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, spaces, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, refuse(EPERM)),
      BPF_STMT(BPF_RET | BPF_K, refuse(ENOSYS)),
  };
  const sock_fprog whole{sizeof code / sizeof code[0], code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0;
}

TEST_CASE("layers have names that are read again", "[sandbox][layers]") {
  for (unsigned i = 0; i < layers_count; ++i) {
    layer again{};
    REQUIRE(parse(to_string(static_cast<layer>(i)), again));
    CHECK(again == static_cast<layer>(i));
  }
  layer none{};
  CHECK_FALSE(parse("cellar", none));
  CHECK(to_string(layers{layer::own_root, layer::seccomp}) == "own_root, seccomp");
  CHECK(to_string(layers{}) == "none");
}

TEST_CASE("outcomes are the same with all layers that there are", "[sandbox][layers]") {
  check_as([] { return true; }, {},
           [](layers held) {
             std::fprintf(stderr, "layers held here: %s\n", to_string(held).c_str());
             return true;
           });
}

TEST_CASE("outcomes are the same for an ordinary user", "[sandbox][layers]") {
  check_as(ordinary_user, {}, [](layers held) {
    std::fprintf(stderr, "layers held by an ordinary user: %s\n", to_string(held).c_str());
    return !held.has(layer::own_user);
  });
}

TEST_CASE("outcomes are the same where namespaces and Landlock are forbidden",
          "[sandbox][layers]") {
  const bool is_ordinary = GENERATE(false, true);
  check_as([&] { return (!is_ordinary || ordinary_user()) && in_a_container(); }, {},
           [](layers held) {
             return held.without({layer::own_user, layer::seccomp}).empty();
           });
}

TEST_CASE("outcomes are the same without any one layer", "[sandbox][layers]") {
  const auto one = static_cast<layer>(GENERATE(range(0, int{layers_count})));
  CAPTURE(to_string(one));
  process_settings settings;
  settings.without.add(one);
  check_as([] { return true; }, settings, [&](layers held) { return !held.has(one); });
}

TEST_CASE("outcomes are the same without any layer at all", "[sandbox][layers]") {
  process_settings settings;
  settings.without = layers::all();
  // Without a filter a guest may ring and write as it likes; the outcomes stay.
  check_as([] { return true; }, settings, [](layers held) { return held.empty(); });
}

TEST_CASE("an executor refuses to start without what is required", "[sandbox][layers]") {
  const auto before = count_belongings();
  process_settings settings;
  settings.without.add(layer::landlock);
  settings.require = {layer::landlock, layer::seccomp};
  REQUIRE_THROWS_WITH(house(settings), Catch::Contains("landlock"));
  CHECK(count_belongings() == before);
}

}  // namespace
