#include <catch2/catch.hpp>

#include <string>

#include "actors/router.hpp"
#include "actors/socket.hpp"
#include "protocol/request_parser.hpp"

using namespace bulkhead;
using actors::path_parameters;
using actors::router;
using outcome = actors::router::outcome;

namespace {

const actors::peer_address nobody{};

// Parses one head and keeps its bytes.
struct parsed {
  explicit parsed(const std::string& line, protocol::limits bounds = {})
      : text(line + " HTTP/1.1\r\nHost: test\r\n\r\n"), head(bounds.fields_max) {
    protocol::request_parser parser;
    REQUIRE(parser.next(text, bounds, head).kind == protocol::event_kind::head);
  }
  std::string text;
  protocol::request_head head;
};

route_target saying(std::string word) {
  return {.handle = [word](const request&) { return protocol::response::text(word); },
          .receive = {}};
}

// What the router would do with the request line, and the parameters it found.
std::string routed(const router& routes, const std::string& line) {
  const parsed request_of(line);
  path_parameters parameters;
  const auto found = routes.find(request_of.head, parameters);
  switch (found.result) {
    case outcome::not_found:
      return "404";
    case outcome::not_implemented:
      return "501";
    case outcome::method_not_allowed:
      return "405 " + std::string(found.allow);
    case outcome::options:
      return "options " + std::string(found.allow);
    case outcome::found:
      break;
  }
  const std::atomic<bool> cancelled{false};
  const request seen(request_of.head, {}, parameters.all(), nobody, 1, cancelled);
  std::string text(found.target->handle(seen).content());
  for (const auto& p : parameters.all())
    text += " " + std::string(p.name) + "=" + std::string(p.value);
  return text;
}

router example() {
  router routes;
  routes.add({"GET"}, "/", saying("root"));
  routes.add({"GET", "PUT"}, "/users/{id}", saying("user"));
  routes.add({"GET"}, "/users/me", saying("me"));
  routes.add({"POST"}, "/users/{id}/posts/{post}", saying("post"));
  routes.add({"GET"}, "/users/me/settings", saying("settings"));
  routes.add({"PURGE"}, "/cache", saying("purge"));
  return routes;
}

}  // namespace

TEST_CASE("router prefers a fixed segment to a parameter and falls back to it",
          "[actors][router]") {
  const auto routes = example();
  CHECK(routed(routes, "GET /") == "root");
  CHECK(routed(routes, "GET /users/7") == "user id=7");
  CHECK(routed(routes, "GET /users/me") == "me");
  CHECK(routed(routes, "GET /users/me/settings") == "settings");
  CHECK(routed(routes, "POST /users/me/posts/3") == "post id=me post=3");
  CHECK(routed(routes, "GET /users/7?x=/users/me") == "user id=7");
}

TEST_CASE("router knows 404 from 405 and 501", "[actors][router][rfc9110-15.5.6]") {
  const auto routes = example();
  CHECK(routed(routes, "GET /nowhere") == "404");
  CHECK(routed(routes, "GET /users") == "404");
  CHECK(routed(routes, "GET /users/") == "404");
  CHECK(routed(routes, "GET /users/7/") == "404");
  CHECK(routed(routes, "GET //") == "404");
  CHECK(routed(routes, "DELETE /users/7") == "405 GET, HEAD, PUT");
  CHECK(routed(routes, "BREW /users/7") == "501");
  CHECK(routed(routes, "PURGE /cache") == "purge");
  CHECK(routed(routes, "get /") == "501");
}

TEST_CASE("router serves HEAD by GET and OPTIONS by what the path has",
          "[actors][router][rfc9110-9.3]") {
  auto routes = example();
  CHECK(routed(routes, "HEAD /users/7") == "user id=7");
  CHECK(routed(routes, "OPTIONS /users/7") == "options GET, HEAD, PUT");
  CHECK(routed(routes, "OPTIONS *") == "options OPTIONS, GET, PUT, POST, PURGE");
  routes.add({"HEAD", "OPTIONS"}, "/", saying("own"));
  CHECK(routed(routes, "HEAD /") == "own");
  CHECK(routed(routes, "OPTIONS /") == "own");
}

TEST_CASE("router gives unknown paths to the fallback and no others", "[actors][router]") {
  auto routes = example();
  routes.set_fallback(saying("fallback"));
  CHECK(routed(routes, "GET /nowhere") == "fallback");
  CHECK(routed(routes, "POST /nowhere") == "fallback");
  CHECK(routed(routes, "DELETE /users/7") == "405 GET, HEAD, PUT");
}

TEST_CASE("router gives the rest of a path to a parameter with dots", "[actors][router]") {
  router routes;
  routes.add({"GET"}, "/{all...}", saying("all"));
  routes.add({"GET"}, "/files/{user}/{path...}", saying("files"));
  routes.add({"GET"}, "/files/{user}/list", saying("list"));
  routes.add({"POST"}, "/upload", saying("upload"));
  CHECK(routed(routes, "GET /") == "all all=");
  CHECK(routed(routes, "GET /a//b/?x") == "all all=a//b/");
  CHECK(routed(routes, "GET /files/me/a/b%2F/") == "files user=me path=a/b%2F/");
  CHECK(routed(routes, "GET /files/me/") == "files user=me path=");
  CHECK(routed(routes, "GET /files/me/list") == "list user=me");
  CHECK(routed(routes, "GET /files/me/list/more") == "files user=me path=list/more");
  CHECK(routed(routes, "GET /files/me") == "all all=files/me");
  CHECK(routed(routes, "GET /files//a") == "all all=files//a");
  CHECK(routed(routes, "POST /a") == "405 GET, HEAD");
  CHECK(routed(routes, "GET /upload") == "405 POST");
}

TEST_CASE("request knows the rest of its path with such a parameter and without",
          "[actors][request]") {
  const parsed of("GET /a/b/c");
  const std::atomic<bool> cancelled{false};
  const path_parameter rest[]{{"x", "a"}, {"y", "c", true}};
  CHECK(request(of.head, {}, rest, nobody, 1, cancelled).rest_of_path() == "c");
  CHECK(request(of.head, {}, {}, nobody, 1, cancelled).rest_of_path() == "a/b/c");
}

TEST_CASE("router refuses malformed routes and names them", "[actors][router][B176]") {
  router routes;
  routes.add({"GET"}, "/a/{x}", saying("a"));
  const auto refused = [&](std::string_view pattern, const char* why) {
    INFO(pattern);
    CHECK_THROWS_WITH(routes.add({"GET"}, pattern, saying("b")),
                      Catch::Contains(std::string(pattern)) && Catch::Contains(why));
  };
  refused("/a/{x}", "given twice");
  refused("/a/{y}", "other parameter names");
  refused("a", "must begin with '/'");
  refused("", "must begin with '/'");
  refused("/{}", "needs a name");
  refused("/{...}", "needs a name");
  refused("/{x...}/b", "must be the last");
  refused("/b/{x}/{x...}", "stands twice");
  refused("/{x}/{x}", "stands twice");
  refused("/a{x}", "text or one {parameter}");
  refused("/a?b", "without '?'");
  refused("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}", "more than 8");
  CHECK_THROWS_WITH(routes.add({"GE T"}, "/c", saying("c")), Catch::Contains("token"));
  CHECK_THROWS_WITH(routes.add({}, "/c", saying("c")), Catch::Contains("no method"));
  CHECK_THROWS_WITH(routes.add({"GET"}, "/c", {}), Catch::Contains("handler is empty"));
}

TEST_CASE("request finds values in its query without decoding them", "[actors][request]") {
  const parsed of("GET /a?x=1&y&z=%20&x=2&=e&zz=q");
  const std::atomic<bool> cancelled{false};
  const request r(of.head, {}, {}, nobody, 1, cancelled);
  CHECK(r.query_value("x") == "1");
  CHECK(r.query_value("y") == "");
  CHECK(r.query_value("z") == "%20");
  CHECK(r.query_value("") == "e");
  CHECK_FALSE(r.query_value("q").has_value());
  CHECK(r.parameter("id").empty());
}
