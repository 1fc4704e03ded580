#include "actors/file_cursor.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "actors/owned_file.hpp"
#include "actors/transport.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace bulkhead;
using namespace bulkhead::actors;
using bulkhead::protocol::file_content;
using bulkhead::protocol::file_part;

namespace {

// "0123456789" in a file, and parts of it.
std::shared_ptr<const file_content> digits(std::vector<file_part> parts, std::string after = {}) {
  const tests::temporary_folder folder;
  const auto name = folder.file("digits");
  std::ofstream(name) << "0123456789";
  auto content = owned_file(::open(name.c_str(), O_RDONLY | O_CLOEXEC), 0, 0);
  content.parts = std::move(parts);
  content.after = std::move(after);
  return std::make_shared<const file_content>(std::move(content));
}

// Everything in order, in steps; by reading, or by lending as the kernel would.
std::string all_of(file_cursor& cursor, std::size_t step, bool lends) {
  std::string text;
  while (!cursor.done()) {
    if (!cursor.text().empty()) {
      text += cursor.text();
      cursor.take_text();
    } else if (!lends) {
      REQUIRE(cursor.read(step, text));
    } else {
      const auto window = cursor.lend(step);
      CHECK(window.bytes <= step);
      // All but the last octet is sent, as when the kernel gives up on it.
      const auto sent = std::max<std::uint64_t>(window.bytes - 1, 1);
      for (std::uint64_t i = 0; i < sent; ++i) text += std::to_string(window.offset + i);
      cursor.settle(window.bytes - sent);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("file_cursor goes through texts and ranges in order whatever the steps",
          "[actors][files]") {
  const auto content = digits({{"<", 7, 3}, {"", 0, 4}, {"|", 5, 0}, {"", 9, 0}, {"-", 4, 1}}, ">");
  CHECK(content->size() == 12);
  for (std::size_t step = 1; step <= 11; ++step)
    for (const bool lends : {false, true}) {
      file_cursor cursor;
      CHECK(cursor.done());
      cursor.start(content);
      CHECK(all_of(cursor, step, lends) == "<7890123|-4>");
      cursor.reset();
      CHECK(cursor.done());
    }
}

TEST_CASE("file_cursor is done with nothing at once", "[actors][files]") {
  file_cursor cursor;
  cursor.start(digits({{"", 3, 0}}));
  CHECK(cursor.done());
  cursor.start(digits({}));
  CHECK(cursor.done());
}

TEST_CASE("file_cursor says when the file is shorter than its content", "[actors][files]") {
  file_cursor cursor;
  cursor.start(digits({{"", 8, 5}}));
  std::string text;
  CHECK(cursor.read(100, text));
  CHECK_FALSE(cursor.read(100, text));
  CHECK(text == "89");
}

TEST_CASE("file_cursor keeps its file open until it is reset and no longer", "[actors][files]") {
  auto content = digits({{"", 0, 1}});
  const int fd = content->file->descriptor();
  file_cursor cursor;
  cursor.start(std::move(content));
  CHECK(::fcntl(fd, F_GETFD) >= 0);
  cursor.reset();
  CHECK(::fcntl(fd, F_GETFD) < 0);
}

TEST_CASE("transport tells a file that the kernel can't send from one that is too short",
          "[actors][files]") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  transport to{unique_fd(ends[0])};
  const unique_fd from(ends[1]);
  const auto content = digits({});
  output_queue out;
  out.bytes() = "head";
  out.set_file({content->file->descriptor(), 8, 5});
  CHECK(out.size() == 9);
  CHECK(to.send(out) == transport::result::unreadable);
  CHECK(out.queued_total() == 6);
  CHECK(out.drop_file() == 3);
  CHECK(out.empty());
  char got[16];
  CHECK(std::string(got, static_cast<std::size_t>(::recv(ends[1], got, sizeof got, 0))) ==
        "head89");

  // A file of the kernel's own making, which it can read but not splice.
  const unique_fd made_up(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  out.set_file({made_up.get(), 0, 5});
  CHECK(to.send(out) == transport::result::unsupported);
  CHECK(out.drop_file() == 5);
}
