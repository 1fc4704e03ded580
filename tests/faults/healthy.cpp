// Healthy clients, and what they notice.
#include "faults/healthy.hpp"

#include <atomic>
#include <catch2/catch.hpp>

#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

namespace {

using namespace bulkhead;
using namespace bulkhead::faults;
using namespace std::chrono_literals;

using clients = std::vector<healthy_clients>;

struct kept {
  explicit kept(const clients& all) {
    server->get("/flaky",
                [this](const request&) { return response::text(is_broken ? "other" : "same"); });
    server->get("/ends", [this](const request&) -> response {
      if (is_broken) throw 42;
      return response::text("fine");
    });
    at.plain = "http://" + server.start();
    traffic = std::make_unique<healthy_traffic>(all, at, 1, record);
  }
  void reach(const std::function<bool(const healthy_counts&)>& holds) {
    tests::wait_until([&] { return holds(record.counts()); });
  }

  std::atomic<bool> is_broken = false;
  tests::served server;
  healthy_origins at;
  recorder record{std::chrono::steady_clock::now()};
  std::unique_ptr<healthy_traffic> traffic;
};

TEST_CASE("healthy: right answers over one connection each", "[faults][healthy]") {
  kept all(clients{{.target = "/hello", .content = "hello", .clients = 2},
                   {.method = "POST", .target = "/echo", .send_bytes = 5000},
                   {.target = "/flaky", .rate = 200}});
  all.reach([](const auto& now) { return now.requests > 100; });
  all.traffic = nullptr;
  const auto figures = all.record.figures();
  CHECK(figures.lost == 0);
  CHECK(figures.wrong == 0);
  CHECK(figures.disturbed == 0);
  CHECK(figures.latency[0][2].count() + figures.latency[0][0].count() > 0);
  CHECK(figures.latency[1][0].count() > 0);
}

TEST_CASE("healthy: another content than the first is wrong", "[faults][healthy]") {
  kept all(clients{{.target = "/flaky"}});
  all.is_broken = true;
  all.reach([](const auto& now) { return now.wrong > 3; });
  all.traffic = nullptr;
  CHECK(all.record.figures().samples.at(0).find("GET /flaky: status 200") == 0);
}

TEST_CASE("healthy: a connection that the server ends is a disturbance", "[faults][healthy]") {
  kept all(clients{{.target = "/ends"}});
  all.reach([](const auto& now) { return now.requests > 0; });
  all.is_broken = true;
  all.reach([](const auto& now) { return now.wrong > 3; });
  all.traffic = nullptr;
  CHECK(all.record.counts().disturbed >= 3);
}

TEST_CASE("healthy: a server that is gone loses requests", "[faults][healthy]") {
  kept all(clients{{.target = "/hello"}});
  all.server->stop();
  all.reach([](const auto& now) { return now.lost > 3; });
}

TEST_CASE("healthy: what is wrong to begin with is told", "[faults][healthy]") {
  CHECK_THROWS_WITH(kept(clients{{.target = "/hello", .content = "bye"}}),
                    Catch::Contains("GET /hello: status 200"));
  CHECK_THROWS_WITH(kept(clients{{.target = "/absent"}}),
                    Catch::Contains("GET /absent: status 404"));
}

}  // namespace
