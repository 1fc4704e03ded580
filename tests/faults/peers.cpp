// Hostile peers against a server of the test's own.
#include <catch2/catch.hpp>
#include <filesystem>

#include "faults/kinds.hpp"
#include "faults/swarm.hpp"
#include "tests/support/served.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/wait.hpp"

namespace {

using namespace bulkhead;
using namespace bulkhead::faults;
using namespace std::chrono_literals;

// What the demo has and the kinds ask for.
class soaked {
 public:
  soaked() : served_(settings(folder_.file("tls"))) {
    served_->get("/", [](const request&) { return response::text("home"); });
    served_->get("/big",
                 [](const request&) { return response::bytes(std::string(4'000'000, 'x')); });
    served_->get("/sleep", [](const request&) {
      std::this_thread::sleep_for(20ms);
      return response::text("slept");
    });
    served_->get("/throw", [](const request&) -> response { throw 42; });
    served_.start();
  }
  swarm_settings against(std::vector<fault> all) {
    const auto addresses = served_->addresses();
    return {.faults = std::move(all),
            .place = {.plain = actors::resolve(addresses.at(0)).front(),
                      .secure = actors::resolve(addresses.at(1)).front(),
                      .host = "127.0.0.1"},
            .authority = addresses.at(0)};
  }
  tests::served* operator->() { return &served_; }

 private:
  static config settings(const std::string& folder) {
    auto all = tests::on_loopback();
    all.tls_listen = {"127.0.0.1:0"};
    all.tls_self_signed = folder;
    return all;
  }

  tests::temporary_folder folder_;
  tests::served served_;
};

// The figures of one fault, launched so often, when all its peers have ended; `is_endless`: those
// that wait for nothing are told to leave.
fault_figures ended(soaked& server, const fault& what, int times, bool is_endless = false) {
  swarm all(server.against({what}));
  for (int i = 0; i < times; ++i) all.launch(0, static_cast<std::uint64_t>(i));
  if (is_endless) {
    std::this_thread::sleep_for(100ms);  // for more than a connection, mostly
    all.end_batch();
  }
  tests::wait_until([&] { return all.open() == 0; });
  CAPTURE(all.samples());
  const auto figures = all.figures().at(0);
  CHECK(figures.unexpected == 0);
  return figures;
}

TEST_CASE("peers: every kind is injected and ends as it may", "[faults][peers]") {
  soaked server;
  for (const auto& kind : fault_kinds()) {
    CAPTURE(kind.name);
    const auto figures = ended(
        server, {.kind = std::string(kind.name), .target = kind.name == "request" ? "/throw" : ""},
        5, true);
    CHECK(figures.injected == 5);
    CHECK(figures.skipped == 0);
    CHECK(figures.refused == 0);
    CHECK(figures.closed + figures.reset + figures.left == 5);
  }
}

TEST_CASE("peers: handlers that throw are answered and counted", "[faults][peers]") {
  soaked server;
  const auto figures = ended(server, {.kind = "request", .target = "/throw", .expect = {500}}, 20);
  CHECK(figures.answered == std::map<int, std::uint64_t>{{500, 20}});
  CHECK(figures.closed == 20);
}

TEST_CASE("peers: a smuggled request is refused and no later byte is answered", "[faults][peers]") {
  soaked server;
  const auto figures = ended(server, {.kind = "smuggling"}, 200);
  std::uint64_t refused = 0;
  for (const auto& [status, count] : figures.answered)
    if (status >= 400) refused += count;
  CHECK(refused == 200);
}

TEST_CASE("peers: an answer that was not allowed is told with its seed", "[faults][peers]") {
  soaked server;
  swarm all(server.against({{.kind = "request", .target = "/hello", .expect = {500}}}));
  all.launch(0, 77);
  tests::wait_until([&] { return all.open() == 0; });
  CHECK(all.figures().at(0).unexpected == 1);
  CHECK(all.samples() == std::vector<std::string>{"request /hello: status 200, seed 77"});
}

TEST_CASE("peers: no more than allowed are there at once", "[faults][peers]") {
  soaked server;
  auto settings = server.against({{.kind = "stalled-head"}});
  settings.peers_max = 3;
  swarm all(std::move(settings));
  for (int i = 0; i < 5; ++i) all.launch(0, 1);
  tests::wait_until([&] { return all.figures().at(0).skipped == 2; });
  CHECK(all.open(0) == 3);
  CHECK(all.figures().at(0).injected == 3);
}

TEST_CASE("peers: nobody listens", "[faults][peers]") {
  std::string address;
  {
    auto closed = actors::listen_on("127.0.0.1:0", 1);
    address = actors::bound_to(closed.front().get());
  }
  swarm all({.faults = {{.kind = "request", .target = "/", .expect = {200}}},
             .place = {.plain = actors::resolve(address).front(), .host = "127.0.0.1"},
             .authority = address});
  all.launch(0, 1);
  tests::wait_until([&] { return all.open() == 0; });
  CHECK(all.figures().at(0).refused == 1);
  CHECK(all.figures().at(0).unexpected == 1);
}

}  // namespace
