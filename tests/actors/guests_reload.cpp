// Handlers in sandboxes that come, go and are replaced while the server runs.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/actors/guest_handlers.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("guests are added and replaced and removed while the server runs", "[guests][reload]") {
  const temporary_folder folder;
  const auto file = folder.file("handler.so");
  std::filesystem::copy_file(hostile, file);
  auto settings = with({handler_of("/a/{deed}", example)}, 2);
  served s(settings);
  const auto address = s.start();
  client c(address);
  CHECK(status_of(c.ask(get("/ok"))) == 404);

  settings.handlers.push_back(handler_of("/{deed}", file));
  CHECK(s->reload(settings).empty());
  CHECK(content_of(c.ask(get("/ok"))) == "ok");

  // The same name, another file. Who is in the old one is answered by it.
  client patient(address);
  patient.send(get("/sleep"));
  std::this_thread::sleep_for(50ms);
  std::filesystem::remove(file);
  std::filesystem::copy_file(example, file);
  CHECK(s->reload(settings).empty());
  wait_until([&] { return content_of(c.ask(get("/hello"))) == "Hello from a sandbox!\n"; });

  // What is broken changes nothing.
  auto broken = settings;
  broken.handlers.back().file = folder.file("nowhere.so");
  CHECK_THROWS_WITH(s->reload(broken), Catch::Contains("nowhere.so"));
  CHECK(content_of(c.ask(get("/hello"))) == "Hello from a sandbox!\n");

  settings.handlers.pop_back();
  CHECK(s->reload(settings).empty());
  CHECK(status_of(c.ask(get("/headers"))) == 404);
}

namespace {

// Nobody can open more than that many; gives everything back.
class few_descriptors {
 public:
  explicit few_descriptors(std::size_t free) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    while (taken_.size() < 4096) {
      const int one = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (one < 0) break;
      taken_.push_back(one);
      if (one > most_) break;
    }
    auto lower = before_;
    lower.rlim_cur = static_cast<rlim_t>(most_);
    ::setrlimit(RLIMIT_NOFILE, &lower);
    // Those above the limit are taken, and the lowest are given back.
    for (std::size_t i = 0; i < free && !taken_.empty(); ++i) {
      ::close(taken_.front());
      taken_.erase(taken_.begin());
    }
  }
  ~few_descriptors() {
    ::setrlimit(RLIMIT_NOFILE, &before_);
    for (const int one : taken_) ::close(one);
  }
  few_descriptors(const few_descriptors&) = delete;
  few_descriptors& operator=(const few_descriptors&) = delete;

 private:
  static constexpr int most_ = 600;
  rlimit before_{};
  std::vector<int> taken_;
};

}  // namespace

TEST_CASE("guest that could not be started is tried again", "[guests][reload]") {
  auto settings = on_loopback(1);
  settings.admin_listen = "127.0.0.1:0";
  served s(settings);
  client c(s.start());
  client admin(s->admin_address());
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
  CHECK(content_of(admin.ask(get("/handlers"))) == "[]\n");
  settings.handlers = {handler_of("/e/{deed}", example), handler_of("/{deed}", hostile)};
  {
    // Enough to look at the files, too few to start an executor.
    const few_descriptors two(2);
    CHECK(s->reload(settings).empty());
    for (int i = 0; i < 30; ++i) {
      const auto refused = c.ask(get("/ok"));
      CHECK(status_of(refused) == 503);
      CHECK_THAT(refused, Catch::Contains("Retry-After: "));
    }
    CHECK(s.count(reason::handler_unavailable) == 30);
    wait_until([&] {
      return content_of(admin.ask(get("/handlers"))).find("\"available\": false") !=
             std::string::npos;
    });
    CHECK_THAT(content_of(admin.ask(get("/handlers"))), Catch::Contains("\"failure\": \""));
  }
  wait_until([&] { return status_of(c.ask(get("/ok"))) == 200; });
  wait_until([&] {
    return content_of(admin.ask(get("/handlers"))).find("\"available\": false") ==
           std::string::npos;
  });
}

TEST_CASE("guests that were replaced leave nothing behind", "[guests][reload]") {
  const temporary_folder folder;
  const auto file = folder.file("handler.so");
  std::filesystem::copy_file(example, file);
  const auto settings = with({handler_of("/{deed}", file)}, 2);
  served s(settings);
  client c(s.start());
  CHECK(status_of(c.ask(get("/hello"))) == 200);
  check_reloads_leave_nothing(s, settings, file, c);
}
