// The handler that serves a folder.
#include "actors/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/client.hpp"
#include "tests/support/site.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
namespace fs = std::filesystem;

TEST_CASE("files serves a file with its type and length and validators", "[server][files]") {
  site s;
  client c(s.start());
  const auto answer = c.ask(get("/static/hello.txt"));
  CHECK(status_of(answer) == 200);
  CHECK(content_of(answer) == "hello, file");
  CHECK(field(answer, "Content-Type") == "text/plain; charset=utf-8");
  CHECK(field(answer, "Content-Length") == "11");
  CHECK(field(answer, "Accept-Ranges") == "bytes");
  CHECK(field(answer, "ETag").front() == '"');
  CHECK(field(answer, "Last-Modified").size() == 29);
  CHECK(field(c.ask(get("/static/digits")), "Content-Type") == "application/octet-stream");
  const auto empty = c.ask(get("/static/empty.css"));
  CHECK(field(empty, "Content-Length") == "0");
  CHECK(field(empty, "Content-Type") == "text/css; charset=utf-8");
  const auto escaped = c.ask(get("/static/a%20b.HTML?x=1"));
  CHECK(content_of(escaped) == "<p>");
  CHECK(field(escaped, "Content-Type") == "text/html; charset=utf-8");
  wait_until([&] { return s.count(reason::served) == 4; });
}

TEST_CASE("files answers HEAD like GET and sends no content", "[server][files][rfc9110-9.3.2]") {
  site s;
  client c(s.start());
  const auto got = c.ask(get("/static/hello.txt"));
  const auto head = c.ask(head_of("/static/hello.txt"), "HEAD");
  CHECK(content_of(head).empty());
  for (const auto* name : {"Content-Length", "Content-Type", "ETag", "Last-Modified"})
    CHECK(field(head, name) == field(got, name));
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
}

TEST_CASE("files serves HTTP/1.0 clients", "[server][files]") {
  site s;
  const auto address = s.start();
  client closing(address);
  closing.send("GET /static/hello.txt HTTP/1.0\r\n\r\n");
  const auto answer = closing.rest();
  CHECK(content_of(answer) == "hello, file");
  CHECK(field(answer, "Content-Length") == "11");
  client staying(address);
  const std::string request = "GET /static/digits HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  CHECK(content_of(staying.ask(request)) == "0123456789");
  CHECK(content_of(staying.ask(request)) == "0123456789");
}

TEST_CASE("files answers a folder by its index and a folder without a slash by the way to it",
          "[server][files]") {
  site s;
  client c(s.start());
  CHECK(content_of(c.ask(get("/static/docs/"))) == "<h1>docs</h1>");
  const auto redirect = c.ask(get("/static/docs?a=b"));
  CHECK(status_of(redirect) == 301);
  CHECK(field(redirect, "Location") == "./docs/?a=b");
  for (const auto* path : {"/static/bare", "/static/bare/", "/static/", "/static/hello.txt/",
                           "/static/docs/index.html/", "/static/none", "/static"}) {
    INFO(path);
    CHECK(status_of(c.ask(get(path))) == 404);
  }
}

TEST_CASE("files opens nothing outside of its root", "[server][files][B143]") {
  site s;
  fs::create_symlink("../outside", s.path("link"));
  fs::create_symlink("..", s.path("up"));
  fs::create_symlink(fs::absolute(s.path("hello.txt")), s.path("absolute"));
  fs::create_symlink("/proc/self/root/etc/passwd", s.path("magic"));
  fs::create_symlink("hello.txt", s.path("within"));
  fs::create_symlink("loop", s.path("loop"));
  client c(s.start());
  for (const auto* path : {"/static/../outside",
                           "/static/docs/../../outside",
                           "/static/%2e%2e/outside",
                           "/static/.%2E/outside",
                           "/static/..%2foutside",
                           "/static/%2e%2e%2foutside",
                           "/static//etc/passwd",
                           "/static/%2fetc/passwd",
                           "/static/link",
                           "/static/up/outside",
                           "/static/up/",
                           "/static/absolute",
                           "/static/magic",
                           "/static/loop",
                           "/static/hello.txt%00.html",
                           "/static/docs/./index.html",
                           "/static/..%5coutside",
                           "/static/.env",
                           "/static/%2eenv",
                           "/static/.git/config"}) {
    INFO(path);
    const auto answer = c.ask(get(path));
    CHECK(status_of(answer) == 404);
    CHECK(answer.find("secret") == std::string::npos);
  }
  CHECK(content_of(c.ask(get("/static/within"))) == "hello, file");
  CHECK(status_of(c.ask("GET ../outside HTTP/1.1\r\nHost: a\r\n\r\n")) == 400);
}

TEST_CASE("files serves dot files and another index when it is told to", "[server][files]") {
  site s;
  s->get("/all/{path...}", files(s.path(""), {.dot_files = true, .index = "hello.txt"}));
  s->get("/bare/{path...}", files(s.path(""), {.index = ""}));
  client c(s.start());
  CHECK(content_of(c.ask(get("/all/.env"))) == "secret");
  CHECK(content_of(c.ask(get("/all/"))) == "hello, file");
  CHECK(status_of(c.ask(get("/all/../outside"))) == 404);
  CHECK(status_of(c.ask(get("/bare/"))) == 404);
  CHECK(status_of(c.ask(get("/bare/docs"))) == 404);
}

TEST_CASE("files neither serves nor waits for what is no file", "[server][files]") {
  site s;
  REQUIRE(::mkfifo(s.path("fifo").c_str(), 0600) == 0);
  client c(s.start());
  CHECK(status_of(c.ask(get("/static/fifo"))) == 404);
  CHECK(content_of(c.ask(get("/static/hello.txt"))) == "hello, file");
}

TEST_CASE("files is refused by the system with 403", "[server][files]") {
  if (::geteuid() == 0) return;  // whom the system refuses nothing
  site s;
  fs::permissions(s.path("hello.txt"), fs::perms::none);
  client c(s.start());
  CHECK(status_of(c.ask(get("/static/hello.txt"))) == 403);
}

TEST_CASE("files names a root that it can't open", "[files]") {
  CHECK_THROWS_WITH(files("nowhere/at/all"), Catch::Contains("nowhere/at/all"));
}

TEST_CASE("files knows GET and HEAD alone", "[server][files][rfc9110-15.5.6]") {
  site s;
  s->fallback(files(s.path("")));
  client c(s.start());
  const auto by_router = c.ask("DELETE /static/digits HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(status_of(by_router) == 405);
  CHECK(field(by_router, "Allow") == "GET, HEAD");
  const auto by_handler = c.ask("PUT /digits HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
  CHECK(status_of(by_handler) == 405);
  CHECK(field(by_handler, "Allow") == "GET, HEAD");
  CHECK(content_of(c.ask(get("/digits"))) == "0123456789");
  CHECK(content_of(c.ask(get("/docs/"))) == "<h1>docs</h1>");
}

// ----------------------------------------------------------------- conditions

TEST_CASE("files answers conditional requests", "[server][files][rfc9110-13]") {
  site s;
  client c(s.start());
  const auto first = c.ask(get("/static/digits"));
  const auto tag = field(first, "ETag");
  const auto date = field(first, "Last-Modified");
  const auto asked = [&](const std::string& lines) { return c.ask(get("/static/digits", lines)); };
  const auto unchanged = asked("If-None-Match: \"x\", W/" + tag + "\r\n");
  CHECK(status_of(unchanged) == 304);
  CHECK(field(unchanged, "ETag") == tag);
  CHECK(field(unchanged, "Last-Modified") == date);
  CHECK(status_of(asked("If-Modified-Since: " + date + "\r\n")) == 304);
  CHECK(status_of(asked("If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n")) == 200);
  CHECK(status_of(asked("If-Match: \"x\"\r\n")) == 412);
  CHECK(status_of(asked("If-Match: " + tag + "\r\n")) == 200);
  CHECK(status_of(asked("If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n")) == 412);
  CHECK(status_of(asked("If-Unmodified-Since: " + date + "\r\n")) == 200);
  s.add("digits", "98765");
  const auto changed = asked("If-None-Match: " + tag + "\r\n");
  CHECK(content_of(changed) == "98765");
  CHECK(field(changed, "ETag") != tag);
}

// --------------------------------------------------------------------- ranges

TEST_CASE("files serves a range", "[server][files][rfc9110-14][B142]") {
  site s;
  client c(s.start());
  const auto asked = [&](const std::string& range) {
    const auto answer = c.ask(get("/static/digits", "Range: " + range + "\r\n"));
    return std::to_string(status_of(answer)) + " " + field(answer, "Content-Range") + " " +
           field(answer, "Content-Length") + " " + content_of(answer);
  };
  CHECK(asked("bytes=0-0") == "206 bytes 0-0/10 1 0");
  CHECK(asked("bytes=3-5") == "206 bytes 3-5/10 3 345");
  CHECK(asked("bytes=7-") == "206 bytes 7-9/10 3 789");
  CHECK(asked("bytes=-2") == "206 bytes 8-9/10 2 89");
  CHECK(asked("bytes=4-999999999999999999999") == "206 bytes 4-9/10 6 456789");
  CHECK(asked("bytes=5-2") == "200  10 0123456789");
  CHECK(asked("bytes=0-,-1") == "200  10 0123456789");
  CHECK(asked("bytes=999999999-").starts_with("416 bytes */10 "));
  std::string many = "bytes=0-0";
  for (int i = 1; i < 100; ++i) many += "," + std::to_string(i) + "-" + std::to_string(i);
  s.add("hundred", std::string(100, 'x'));
  CHECK(status_of(c.ask(get("/static/hundred", "Range: " + many + "\r\n"))) == 200);
  const auto head =
      c.ask("HEAD /static/digits HTTP/1.1\r\nHost: a\r\nRange: bytes=0-0\r\n\r\n", "HEAD");
  CHECK(status_of(head) == 200);
  CHECK(field(head, "Content-Length") == "10");
  CHECK(status_of(c.ask(get("/static/empty.css", "Range: bytes=0-\r\n"))) == 200);
}

TEST_CASE("files serves several ranges as body parts", "[server][files][rfc9110-14.6]") {
  site s;
  client c(s.start());
  const auto answer = c.ask(get("/static/hello.txt", "Range: bytes=7-, 0-4\r\n"));
  CHECK(status_of(answer) == 206);
  const auto type = field(answer, "Content-Type");
  const std::string prefix = "multipart/byteranges; boundary=";
  REQUIRE(type.starts_with(prefix));
  const auto boundary = type.substr(prefix.size());
  CHECK(field(answer, "Content-Range").empty());
  const auto part = [&](const std::string& range, const std::string& content) {
    return "--" + boundary +
           "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes " + range +
           "/11\r\n\r\n" + content + "\r\n";
  };
  CHECK(content_of(answer) ==
        part("7-10", "file") + part("0-4", "hello") + "--" + boundary + "--\r\n");
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
}

TEST_CASE("files heeds If-Range", "[server][files][rfc9110-13.1.5]") {
  site s;
  client c(s.start());
  const auto tag = field(c.ask(get("/static/digits")), "ETag");
  const auto status = [&](const std::string& condition) {
    return status_of(c.ask(get("/static/digits", "Range: bytes=0-0\r\n" + condition + "\r\n")));
  };
  CHECK(status("If-Range: " + tag) == 206);
  CHECK(status("If-Range: W/" + tag) == 200);
  CHECK(status("If-Range: \"x\"") == 200);
  CHECK(status("If-None-Match: " + tag) == 304);
}
