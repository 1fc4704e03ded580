// Kicks that come late, threads that come and go, faults that are nobody's.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "sandbox/wasm/module.hpp"
#include "sandbox/wasm/threads.hpp"
#include "tests/sandbox/wasm/room.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// Each thread is cut off, and calls at once what has all the time in the world.
TEST_CASE("a late kick never hits the next call", "[sandbox][wasm]") {
  auto settings = small_module();
  settings.wall_max = 10s;
  const auto here = load(settings);
  std::atomic<unsigned> cut_off{0}, answered{0}, wrong{0};
  const auto work = [&](unsigned seed) {
    const auto loop = blob_of("/loop"), ok = blob_of("/ok");
    for (unsigned i = 0; i < 100; ++i) {
      // Deadlines from now to 1 ms ahead.
      const auto ahead = std::chrono::microseconds((seed + i * 37) % 1000);
      const auto ended = here->call(loop, clock::now() - 10s + ahead);
      ++(ended.kind == outcome_kind::deadline ? cut_off : wrong);
      for (int j = 0; j < 10; ++j)
        ++(text_of(here->call(ok, clock::now() + 1h)) == "ok" ? answered : wrong);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(work, 251 * i);
  for (auto& one : threads) one.join();
  CHECK(cut_off == 400);
  CHECK(answered == 4000);
  CHECK(wrong == 0);
  CHECK(here->count().served == 4400);
  CHECK(here->count().faults == 400);
}

// Calls that end about when their time does: each has one outcome, and the right one.
TEST_CASE("a call at its deadline is answered or cut off", "[sandbox][wasm]") {
  auto settings = small_module();
  settings.wall_max = 1ms;
  const auto here = load(settings);
  std::atomic<unsigned> all{0}, wrong{0};
  const auto work = [&] {
    const auto blob = blob_of("/library");  // sleeps for 1 ms
    for (unsigned i = 0; i < 200; ++i) {
      const auto result = here->call(blob, clock::now());
      const bool is_late = result.kind == outcome_kind::deadline && result.wall >= 1ms;
      if (!is_late && text_of(result) != "as usual") ++wrong;
      ++all;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(work);
  for (auto& one : threads) one.join();
  CHECK(all == 800);
  CHECK(wrong == 0);
  CHECK(here->count().served == 800);
}

TEST_CASE("threads that call modules come and go", "[sandbox][wasm]") {
  const auto before = count_holdings();
  {
    const auto here = load(small_module());
    for (int i = 0; i < 50; ++i)
      std::thread([&] {
        CHECK(text_of(ask(*here, "/ok")) == "ok");
        CHECK(ask(*here, "/call-down").kind == outcome_kind::trap);
      }).join();
  }
  CHECK(count_holdings() == before);
}

TEST_CASE("a thread that blocks all signals is cut off all the same", "[sandbox][wasm]") {
  auto settings = small_module();
  settings.wall_max = 20ms;
  const auto here = load(settings);
  std::thread([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    CHECK(ask(*here, "/loop").kind == outcome_kind::deadline);
  }).join();
}

TEST_CASE("a kick that nobody sent for a call does nothing", "[sandbox][wasm]") {
  const auto here = load(small_module());
  CHECK(text_of(ask(*here, "/ok")) == "ok");
  CHECK(raise(kick_signal()) == 0);
  CHECK(text_of(ask(*here, "/ok")) == "ok");
}

// --- faults that end the process

int report_to = -1;
void note_fault(int) {
  static_cast<void>(!write(report_to, "!", 1));
}

// How a process ends that does this, and whether the handler of faults that it had before it loaded
// a module heard of it.
struct fate {
  int signal;
  bool was_noted;
};
template <class Do>
fate fate_of(const Do& what) {
  int both[2];
  REQUIRE(pipe(both) == 0);
  const auto child = fork();
  if (child == 0) {
    report_to = both[1];
    struct sigaction action = {};
    action.sa_handler = note_fault;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    sigaction(SIGSEGV, &action, nullptr);
    what();
    _exit(0);
  }
  close(both[1]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  char noted = 0;
  const bool was_noted = read(both[0], &noted, 1) == 1;
  close(both[0]);
  return {WIFSIGNALED(status) ? WTERMSIG(status) : 0, was_noted};
}

TEST_CASE("a fault of the server itself still ends it", "[sandbox][wasm]") {
  const auto how = fate_of([] {
    const auto here = load(small_module());
    if (ask(*here, "/wild").kind != outcome_kind::trap) _exit(1);
    volatile int* nowhere = nullptr;
    asm volatile("" : "+r"(nowhere));
    *nowhere = 1;
  });
  CHECK(how.signal == SIGSEGV);
  CHECK(how.was_noted);
}

TEST_CASE("a signal of a fault that somebody sent still ends the server", "[sandbox][wasm]") {
  const auto how = fate_of([] {
    const auto here = load(small_module());
    // The first one is noted by a handler that then is gone.
    raise(SIGSEGV);
    raise(SIGSEGV);
  });
  CHECK(how.signal == SIGSEGV);
  CHECK(how.was_noted);
}

TEST_CASE("code of a module that reaches outside ends the server", "[sandbox][wasm]") {
  const auto how = fate_of([] {
    const auto settings = small_module();
    const auto watchdog = hold_watchdog();
    const auto code = wasm_module::load(object::load(guests + "escaped.so").value, settings).value;
    if (!code) _exit(1);
    const auto one = wasm_instance::make(*code, settings);
    if (!one->reset(code->image())) _exit(1);
    wasm_frame frame;
    const wasm_watch watch({clock::now() + 10s, 10s});
    const wasm_top top(frame);
    static_cast<void>(one->call(frame, "x"));
  });
  CHECK(how.signal == SIGSEGV);
  CHECK(how.was_noted);
}

}  // namespace
