#include "tls/virtual_hosts.hpp"

#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/tls/connection.hpp"
#include "tls/server_name.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;

const workshop& files() {
  static const workshop made;
  return made;
}

std::string shown_to(const connection& both) {
  const auto* certificate = SSL_get0_peer_certificate(both.peer.raw());
  if (!certificate) return {};
  const auto names = names_of(*certificate);
  return names.empty() ? "none" : names.front();
}

TEST_CASE("the certificate answers the name that the client asks for", "[tls][rfc6066-3]") {
  static const auto hosts = configurations_of(
      {files().host({"default.example"}), files().host({"a.example", "b.example"}),
       files().host({"*.wild.example"}), files().host({"x.wild.example"})});
  const auto [asked, shown] = GENERATE(table<std::string, std::string>({
      {"", "default.example"},
      {"default.example", "default.example"},
      {"b.example", "a.example"},
      {"B.Example", "a.example"},
      {"y.wild.example", "*.wild.example"},
      {"x.wild.example", "x.wild.example"},
      {"z.y.wild.example", "default.example"},
      {"wild.example", "default.example"},
      {"unknown.example", "default.example"},
      {"*.wild.example", "default.example"},
      {"not a name", "default.example"},
  }));
  connection both(hosts,
                  {.server_name = asked, .version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION)});
  both.exchange();
  REQUIRE(both.is_open());
  CHECK(shown_to(both) == shown);
  CHECK(both.server->host() == both.server->hosts().find(asked));
}

TEST_CASE("unknown names can be refused with an alert", "[tls][rfc6066-3]") {
  static const auto hosts =
      configurations_of({files().host({"a.example"})}, unknown_names::are_refused);
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  connection unknown(hosts, {.server_name = "b.example", .version = version});
  unknown.exchange();
  CHECK(unknown.server->why().what == failure::unknown_server_name);
  CHECK(unknown.server->server_name() == "b.example");
  CHECK(unknown.peer.fatal_alert() == SSL_AD_UNRECOGNIZED_NAME);
  connection known(hosts, {.server_name = "a.example", .version = version});
  known.exchange();
  CHECK(known.is_open());
  connection silent(hosts, {.version = version});
  silent.exchange();
  CHECK(silent.is_open());
}

TEST_CASE("a certificate's names are those of subjectAltName or else its common name",
          "[tls][rfc6125-6.4.4]") {
  const auto names = [](const certificate_wish& wish) {
    return names_of(*certify(wish).certificate);
  };
  using list = std::vector<std::string>;
  CHECK(names({.common_name = "cn.example"}) == list{"cn.example"});
  CHECK(names({.common_name = "cn.example", .names = {"san.example"}}) == list{"san.example"});
  CHECK(names({.common_name = "A Company"}).empty());
  CHECK(names({.names = {"A.example", "a.EXAMPLE", "*.a.example", "w*.a.example",
                         "a.*.example"}}) == list{"a.example", "*.a.example"});
}

TEST_CASE("server names are normalised or refused", "[tls][rfc6066-3]") {
  CHECK(normal_server_name("WWW.Example.org") == "www.example.org");
  CHECK(normal_server_name("a_b.example") == "a_b.example");
  for (const std::string bad : {"", ".", "a.", ".a", "a..b", "127.0.0.1", "::1", "a b", "a/b"})
    CHECK(normal_server_name(bad).empty());
  const std::string limit = std::string(251, 'a') + ".b";
  CHECK(normal_server_name(limit) == limit);
  CHECK(normal_server_name(limit + "c").empty());
  CHECK(normal_server_name(std::string("a\0b", 3)).empty());
}

TEST_CASE("a server name extension that is cut or padded gives no name", "[tls][rfc6066-3]") {
  const std::string good(
      "\0\x06\0\0\x03"
      "a.b",
      8);
  const auto parsed = [](const std::string& text) {
    return requested_server_name(
        {reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  };
  CHECK(parsed(good) == "a.b");
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(parsed(good.substr(0, size)).empty());
  CHECK(parsed(good + "c").empty());
  auto other_type = good;
  other_type[2] = 1;
  CHECK(parsed(other_type).empty());
}

}  // namespace
