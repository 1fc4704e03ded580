// CAF's contract on our scheduler, and the scheduling byte under many threads.
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "actors/runtime/system.hpp"
#include "actors/socket.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead::actors;
using bulkhead::tests::wait_until;
using namespace std::chrono_literals;

namespace {

using add_atom = caf::atom_constant<caf::atom("add")>;

// Watches an eventfd and notes whatever it is told to do.
class probe final : public polled_actor {
 public:
  struct record {
    std::atomic<std::uint64_t> read{0};
    std::atomic<int> timeouts{0};
    std::atomic<int> works{0};
    std::atomic<int> returned{0};
    std::atomic<int> inside{0};
    std::atomic<bool> overlapped{false};
    std::atomic<bool> exited{false};
    std::atomic<bool> hold{false};
    std::atomic<bool> arm{false};
    std::atomic<bool> fail{false};
  };

  probe(caf::actor_config& cfg, reactor& where, record& notes, int fd)
      : polled_actor(cfg, where), notes_(notes), fd_(fd), timer_(*this) {}

  void on_exit() override {
    home().timers().cancel(timer_);
    fd_.reset();
    notes_.exited = true;
  }

 protected:
  void on_work(work::bits bits) override {
    if (++notes_.inside > 1) notes_.overlapped = true;
    ++notes_.works;
    do_work(bits);
    --notes_.inside;
  }

 private:
  void do_work(work::bits bits) {
    if (bits & work::stop) return end();
    if (notes_.fail) {
      --notes_.inside;
      throw std::runtime_error("probe");
    }
    if (bits & work::returned) ++notes_.returned;
    if (bits & work::timeout) ++notes_.timeouts;
    if (!is_watched()) REQUIRE(watch(fd_.get()));
    std::uint64_t count = 0;
    if ((bits & work::readable) && ::read(fd_.get(), &count, sizeof count) > 0)
      notes_.read += count;
    if (notes_.arm.exchange(false)) home().timers().arm(timer_, home().now() + 1ms);
    if (notes_.hold.exchange(false)) {
      // The reactor must be lost, however long that takes.
      auto& where = home();
      const bool kept = where.run_user_code(nullptr, [&] { std::this_thread::sleep_for(60ms); });
      if (!kept) return;
    }
  }

  record& notes_;
  unique_fd fd_;
  timer timer_;
};

struct probed {
  explicit probed(runtime_system& system)
      : fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        actor(spawn_polled<probe>(system.reactors().at(0), notes, ::dup(fd.get()))) {
    actor->post(work::readable);
    wait_until([&] { return notes.works > 0; });
  }
  ~probed() {
    actor->post(work::stop);
    wait_until([&] { return notes.exited.load(); });
  }
  void signal() {
    const std::uint64_t one = 1;
    REQUIRE(::write(fd.get(), &one, sizeof one) == sizeof one);
  }

  probe::record notes;
  unique_fd fd;
  actor_ref<probe> actor;
};

// Functor-based actors here all take an argument: CAF binds a null reference to
// the missing tuple of those that take none, and UBSan says so.
caf::behavior counting(caf::event_based_actor*, std::atomic<int>* sum) {
  return {[=](add_atom, int n) { *sum += n; }, [=](int question) { return question + 1; }};
}

}  // namespace

TEST_CASE("polled_actor loses no event and is never run by two threads", "[actors][runtime]") {
  runtime_system system({.reactors = 2});
  probed p(system);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        p.signal();
        p.actor->post(work::writable);
      }
    });
  for (auto& t : threads) t.join();
  wait_until([&] { return p.notes.read == 2000; });
  CHECK_FALSE(p.notes.overlapped);
}

TEST_CASE("polled_actor goes on at home after its reactor was handed over",
          "[actors][runtime][handover]") {
  runtime_system system({.reactors = 1});
  probed stuck(system);
  probed other(system);
  stuck.notes.hold = true;
  stuck.signal();
  wait_until([&] { return !stuck.notes.hold; });
  for (int i = 0; i < 10; ++i) other.signal();
  wait_until([&] { return other.notes.read == 10; });
  stuck.signal();
  wait_until([&] { return stuck.notes.read == 2; });
  CHECK(stuck.notes.returned == 1);
  CHECK(system.reactors().handovers() == 1);
}

TEST_CASE("reactor fires a timer while its sockets are quiet", "[actors][runtime][timers]") {
  runtime_system system({.reactors = 1});
  probed p(system);
  p.notes.arm = true;
  p.signal();
  wait_until([&] { return p.notes.timeouts == 1; });
}

TEST_CASE("polled_actor that throws ends and tells its monitor", "[actors][runtime]") {
  std::atomic<int> downs{0};
  runtime_system system({.reactors = 1});
  {
    probed p(system);
    p.actor->attach_functor([&](const caf::error& reason) {
      downs += reason == caf::exit_reason::unhandled_exception;
    });
    p.notes.fail = true;
    p.signal();
    wait_until([&] { return p.notes.exited.load(); });
  }
  CHECK(downs == 1);
}

TEST_CASE("scheduler runs ordinary CAF actors and their messages", "[actors][runtime]") {
  std::atomic<int> sum{0};
  runtime_system system({.reactors = 2});
  {
    std::vector<caf::actor> all;
    for (int i = 0; i < 20; ++i) all.push_back(system.actors().spawn(counting, &sum));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i)
          caf::anon_send(all[static_cast<std::size_t>(i) % all.size()], add_atom::value, 1);
      });
    for (auto& t : threads) t.join();
    wait_until([&] { return sum == 4000; });
    for (auto& a : all) caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
  }
}

TEST_CASE("scheduler takes a reactor from an ordinary actor that blocks it",
          "[actors][runtime][handover]") {
  std::atomic<bool> go_on{false};
  std::atomic<int> sum{0};
  runtime_system system({.reactors = 1});
  auto blocking = system.actors().spawn(
      [&](caf::event_based_actor*, int) -> caf::behavior {
        return {[&](add_atom, int) {
          while (!go_on) std::this_thread::sleep_for(1ms);
        }};
      },
      0);
  auto other = system.actors().spawn(counting, &sum);
  caf::anon_send(blocking, add_atom::value, 1);
  wait_until([&] { return system.reactors().handovers() == 1; });
  caf::anon_send(other, add_atom::value, 5);
  wait_until([&] { return sum == 5; });
  go_on = true;
  caf::anon_send_exit(blocking, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
}

TEST_CASE("clock delivers delayed messages and request timeouts", "[actors][runtime][timers]") {
  std::atomic<int> sum{0};
  std::atomic<int> timed_out{0};
  runtime_system system({.reactors = 1});
  auto target = system.actors().spawn(counting, &sum);
  auto silent = system.actors().spawn(
      [](caf::event_based_actor* self, int) -> caf::behavior {
        return {[self](int) { return self->make_response_promise<int>(); }};
      },
      0);
  auto asking = system.actors().spawn(
      [&](caf::event_based_actor* self, int) -> caf::behavior {
        self->delayed_send(target, 5ms, add_atom::value, 3);
        self->request(silent, 5ms, 1).then([](int) {}, [&](const caf::error&) { ++timed_out; });
        return {[](caf::unit_t) {}};
      },
      0);
  wait_until([&] { return sum == 3; });
  wait_until([&] { return timed_out == 1; });
  for (auto& a : {target, silent, asking}) caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
}

TEST_CASE("system ends cleanly with jobs still queued", "[actors][runtime][lifecycle]") {
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> sum{0};
    runtime_system system({.reactors = 2});
    auto target = system.actors().spawn<caf::hidden>(counting, &sum);
    for (int n = 0; n < 100; ++n) caf::anon_send(target, add_atom::value, 1);
  }
}
