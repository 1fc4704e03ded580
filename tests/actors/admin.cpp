#include "actors/admin.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "actors/heartbeat.hpp"
#include "actors/runtime/system.hpp"
#include "tests/support/client.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::actors;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

namespace {

admin_sources sources_of(std::uint64_t accepted = 0) {
  admin_sources sources;
  sources.figures = [accepted] {
    metrics_snapshot figures;
    figures.accepted = accepted;
    figures.process = read_process_figures();
    return figures;
  };
  return sources;
}

listener on(const std::string& address) {
  return std::move(listen_on(std::vector{address}, 1).front());
}

// A job that holds its reactor's thread; with no spare threads, the reactor too.
class blocker final : public caf::ref_counted, public caf::resumable {
 public:
  blocker(std::atomic<bool>& inside, std::atomic<bool>& release)
      : inside_(inside), release_(release) {}
  subtype_t subtype() const override { return function_object; }
  resume_result resume(caf::execution_unit*, size_t) override {
    inside_ = true;
    while (!release_) std::this_thread::sleep_for(1ms);
    return done;
  }
  void intrusive_ptr_add_ref_impl() override { ref(); }
  void intrusive_ptr_release_impl() override { deref(); }

 private:
  std::atomic<bool>& inside_;
  std::atomic<bool>& release_;
};

}  // namespace

TEST_CASE("admin serves the metrics in Prometheus' own type", "[admin]") {
  const admin a(on("127.0.0.1:0"), sources_of(41));
  client c(a.address());
  const auto answer = c.ask(get("/metrics"));
  CHECK(status_of(answer) == 200);
  CHECK_THAT(answer, Catch::Contains("text/plain; version=0.0.4; charset=utf-8\r\n"));
  CHECK_THAT(answer, Catch::Contains("no-store"));
  CHECK_THAT(content_of(answer), Catch::Contains("\nbulkhead_accepted_total 41\n"));
  CHECK(status_of(c.ask(get("/"))) == 404);
  CHECK(status_of(c.ask("POST /metrics HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n")) == 405);
}

TEST_CASE("admin tells alive and ready apart", "[admin]") {
  std::atomic<bool> draining{false};
  auto sources = sources_of();
  sources.live = [] { return std::string(); };
  sources.ready = [&] { return draining ? "draining" : std::string(); };
  const admin a(on("127.0.0.1:0"), std::move(sources));
  client c(a.address());
  CHECK(status_of(c.ask(get("/healthz"))) == 200);
  CHECK(status_of(c.ask(get("/readyz"))) == 200);
  draining = true;
  CHECK(status_of(c.ask(get("/healthz"))) == 200);
  const auto answer = c.ask(get("/readyz"));
  CHECK(status_of(answer) == 503);
  CHECK(content_of(answer) == "draining\n");
}

TEST_CASE("admin outlives a source that throws", "[admin]") {
  auto sources = sources_of();
  sources.live = []() -> std::string { throw std::runtime_error("no"); };
  const admin a(on("127.0.0.1:0"), std::move(sources));
  CHECK(status_of(client(a.address()).ask(get("/healthz"))) == 500);
  CHECK(status_of(client(a.address()).ask(get("/readyz"))) == 200);
}

TEST_CASE("admin names the address that it can't have", "[admin][B157]") {
  const admin first(on("127.0.0.1:0"), sources_of());
  const auto address = first.address();
  CHECK_THROWS_AS(on(address), std::system_error);
  CHECK_THROWS_WITH(on(address), Catch::Contains(address) && Catch::Contains("in use"));
  CHECK_THROWS_AS(on("nonsense"), std::invalid_argument);
}

TEST_CASE("heartbeat finds the reactor that does not answer and finds it well again",
          "[admin][heartbeat][B103]") {
  std::atomic<bool> inside{false};
  std::atomic<bool> release{false};
  runtime_system system({.reactors = 2, .spare_threads_max = 0});
  heartbeat pulse(system.reactors());
  CHECK(pulse.ask(10s).empty());
  system.reactors().at(1).push(new blocker(inside, release));
  wait_until([&] { return inside.load(); });
  CHECK(pulse.ask(100ms) == "reactor 1 does not answer");
  CHECK(pulse.ask(1ms) == "reactor 1 does not answer");
  release = true;
  CHECK(pulse.ask(10s).empty());
}

TEST_CASE("heartbeat calls a reactor well whose handler is stuck but which was handed over",
          "[admin][heartbeat]") {
  std::atomic<bool> inside{false};
  std::atomic<bool> release{false};
  runtime_system system({.reactors = 1, .spare_threads_max = 1});
  heartbeat pulse(system.reactors());
  system.reactors().at(0).push(new blocker(inside, release));
  wait_until([&] { return inside.load(); });
  CHECK(pulse.ask(10s).empty());
  release = true;
}

TEST_CASE("heartbeat may be asked by several threads", "[admin][heartbeat]") {
  runtime_system system({.reactors = 2, .spare_threads_max = 1});
  heartbeat pulse(system.reactors());
  std::atomic<int> well{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i)
    askers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) well += pulse.ask(10s).empty() ? 1 : 0;
    });
  for (auto& asker : askers) asker.join();
  CHECK(well == 400);
}
