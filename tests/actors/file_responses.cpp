// Responses whose content lies in a file: how they are sent, cut and given up.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/client.hpp"
#include "tests/support/site.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// No two windows of it are alike.
std::string pattern(std::size_t bytes) {
  std::string text;
  text.reserve(bytes + 16);
  for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ",";
  text.resize(bytes);
  return text;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// A file without a name that reads, and not the kernel, have to send on most systems.
int memory_file(const std::string& content) {
  const int fd = ::memfd_create("test", MFD_CLOEXEC);
  REQUIRE(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
  return fd;
}

}  // namespace

TEST_CASE("server sends files larger than every buffer whole and in order", "[server][files]") {
  site s;
  const auto content = pattern(12'345'678);
  s.add("large", content);
  s->get("/memory", [&](const request&) {
    response answer;
    answer.set_file(owned_file(memory_file(content), 0, content.size()));
    return answer;
  });
  client c(s.start());
  CHECK((content_of(c.ask(get("/static/large"))) == content));
  CHECK((content_of(c.ask(get("/memory"))) == content));
  const auto part = c.ask(get("/static/large", "Range: bytes=1000000-9999999\r\n"));
  CHECK((content_of(part) == content.substr(1'000'000, 9'000'000)));
  CHECK(s->stats().held_bytes < 1'000'000);
}

TEST_CASE("server sends pipelined answers with files between others", "[server][files]") {
  site s;
  const auto content = pattern(1'000'000);
  s.add("large", content);
  client c(s.start());
  c.send(get("/hello") + get("/static/large") + get("/static/digits") + head_of("/static/large") +
         get("/hello"));
  CHECK(content_of(c.answer()) == "hello");
  CHECK((content_of(c.answer()) == content));
  CHECK(content_of(c.answer()) == "0123456789");
  CHECK(status_of(c.answer("HEAD")) == 200);
  CHECK(content_of(c.answer()) == "hello");
  wait_until([&] { return s.count(reason::served) == 5; });
}

TEST_CASE("server sends content before a file and files in place of an exception",
          "[server][files]") {
  site s;
  const auto digits = [&](std::uint64_t offset, std::uint64_t bytes) {
    return owned_file(::open(s.path("digits").c_str(), O_RDONLY | O_CLOEXEC), offset, bytes);
  };
  const std::string before = GENERATE(std::string("before "), pattern(100'000));
  s->get("/both", [&](const request&) {
    return response::text(before).set_source({}).set_file(digits(2, 3));
  });
  s->get("/throw", [](const request&) -> response { throw std::runtime_error("on purpose"); });
  s->on_exception(
      [&](const request&, std::exception_ptr) { return response(500).set_file(digits(5, 5)); });
  const auto address = s.start();
  client c(address);
  CHECK((content_of(c.ask(get("/both"))) == before + "234"));
  const auto failed = c.ask(get("/throw"));
  CHECK(status_of(failed) == 500);
  CHECK(content_of(failed) == "56789");
  CHECK(c.ends_within(5s));
  CHECK(s.count(reason::exception) == 1);
}

TEST_CASE("server answers 500 for a file with a status that has no content", "[server][files]") {
  site s;
  s->get("/none", [&](const request&) {
    return response(204).set_file(owned_file(memory_file("content"), 0, 7));
  });
  const auto address = s.start();
  const auto before = open_descriptors();
  CHECK(status_of(client(address).ask(get("/none"))) == 500);
  wait_until([&] { return s->stats().sessions == 0 && open_descriptors() == before; });
}

TEST_CASE("server cuts an answer off visibly when its file becomes shorter",
          "[server][files][B104]") {
  site s;
  const std::size_t bytes = 50'000'000;
  s.add_sparse("shrinks", bytes);
  int memory = -1;
  s->get("/memory", [&](const request&) {
    memory = ::memfd_create("test", MFD_CLOEXEC);
    CHECK(::ftruncate(memory, bytes) == 0);
    response answer;
    answer.set_file(owned_file(::fcntl(memory, F_DUPFD_CLOEXEC, 0), 0, bytes));
    return answer;
  });
  const auto address = s.start();
  client c(address);
  c.send(get("/static/shrinks"));
  const auto first = c.rest(1'000'000).size();
  fs::resize_file(s.path("shrinks"), 1'000'000);
  CHECK(first + c.rest().size() < bytes);
  CHECK(c.was_reset());

  client other(address);
  other.send(get("/memory"));
  const auto begun = other.rest(1'000'000).size();
  CHECK(::ftruncate(memory, 0) == 0);
  CHECK(begun + other.rest().size() < bytes);
  CHECK(other.was_reset());
  ::close(memory);
  wait_until([&] { return s.count(reason::file_failed) == 2; });
  CHECK(content_of(client(address).ask(get("/hello"))) == "hello");
}

TEST_CASE("server cuts an answer off when its file can't be read", "[server][files]") {
  site s;
  s->get("/pipe", [](const request&) {
    int ends[2];
    CHECK(::pipe2(ends, O_CLOEXEC) == 0);
    ::close(ends[1]);
    response answer;
    answer.set_file(owned_file(ends[0], 0, 100));
    return answer;
  });
  client c(s.start());
  c.send(get("/pipe"));
  c.rest();
  CHECK(c.was_reset());
  wait_until([&] { return s.count(reason::file_failed) == 1; });
}

TEST_CASE("server resets a download whose client takes nothing for too long",
          "[server][files][deadline]") {
  auto settings = on_loopback();
  settings.deadlines.write_stall = 200ms;
  site s(settings);
  s.add_sparse("large", 100'000'000);
  const auto address = s.start();
  const auto before = open_descriptors();
  {
    client c(address);
    c.send(get("/static/large"));
    wait_until([&] { return s.count(reason::write_stall) == 1; });
    c.rest();
    CHECK(c.was_reset());
  }
  wait_until([&] { return s->stats().sessions == 0 && open_descriptors() == before; });
}

TEST_CASE("server holds little memory for slow readers of large files", "[server][files][B172]") {
  site s;
  const std::size_t bytes = 100'000'000;
  s.add_sparse("large", bytes);
  const auto content = pattern(1'000'000);
  s->get("/memory", [&](const request&) {
    auto file = owned_file(memory_file(content), 0, content.size());
    file.parts.assign(100, file.parts.front());
    response answer;
    answer.set_file(std::move(file));
    return answer;
  });
  const auto address = s.start();
  constexpr int each = 20;
  std::vector<client> readers;
  for (int i = 0; i < 2 * each; ++i) {
    readers.emplace_back(address);
    readers.back().send(get(i < each ? "/static/large" : "/memory"));
  }
  std::size_t taken = 0;
  for (int round = 0; round < 20; ++round)
    for (auto& reader : readers) taken += reader.rest(1000).size();
  CHECK(taken >= 20 * 2 * each * 1000);
  CHECK(s->stats().sessions == 2 * each);
  CHECK(s->stats().held_bytes < 2 * each * std::size_t{150'000});
  CHECK(content_of(client(address).ask(get("/hello"))) == "hello");
  // One that hurries is not held up by them.
  const auto part = client(address).ask(get("/static/large", "Range: bytes=-10000000\r\n"));
  CHECK(content_of(part).size() == 10'000'000);
}

TEST_CASE("server closes the file of every aborted download", "[server][files][B106]") {
  site s;
  s.add_sparse("large", 100'000'000);
  s->get("/memory", [&](const request&) {
    response answer;
    answer.set_file(owned_file(memory_file(std::string(500'000, 'm')), 0, 500'000));
    return answer;
  });
  const auto address = s.start();
  CHECK(content_of(client(address).ask(get("/hello"))) == "hello");
  wait_until([&] { return s->stats().sessions == 0; });
  const auto before = open_descriptors();
  const int downloads = sanitized ? 2'000 : 10'000;
  for (int i = 0; i < downloads; ++i) {
    client c(address);
    c.send(get(i % 10 == 9 ? "/memory" : "/static/large"));
    switch (i % 5) {
      case 0:
        break;  // before anything has come
      case 1:
        c.rest(1);
        break;
      case 2:
        c.rest(300'000);
        break;
      case 3:
        c.half_close();
        c.rest(1);
        break;
      case 4:
        c.send(get("/static/large") + get("/hello"));
        break;
    }
    c.reset();
  }
  wait_until([&] { return s->stats().sessions == 0; });
  wait_until([&] { return open_descriptors() == before; });
  CHECK(content_of(client(address).ask(get("/hello"))) == "hello");
  CHECK(s->stats().held_bytes == 0);
}

TEST_CASE("server ends downloads when it stops and sends them to the end when it drains",
          "[server][files][drain]") {
  site s;
  const auto content = pattern(20'000'000);
  s.add("large", content);
  const auto address = s.start();
  const auto before = open_descriptors();
  client finished(address);
  finished.send(get("/static/large"));
  auto begun = finished.rest(100'000);
  std::thread drain([&] { s->drain(); });
  begun += finished.rest();
  drain.join();
  CHECK((content_of(begun) == content));
  CHECK_FALSE(finished.was_reset());

  client cut(s.start());
  cut.send(get("/static/large"));
  CHECK(cut.rest(100'000).size() >= 100'000);
  s->stop();
  cut.rest();
  CHECK(cut.was_reset());
  CHECK(open_descriptors() <= before);
}
