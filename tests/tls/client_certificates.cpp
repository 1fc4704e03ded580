#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/tls/connection.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;

struct world {
  workshop files;
  certified root = certify({.common_name = "root", .is_authority = true});
  certified middle = certify({.common_name = "middle", .is_authority = true}, &root);
  certified stranger = certify({.common_name = "root", .is_authority = true});  // the same name
  certified alice = certify({.common_name = "Alice, \xc3\x9c"}, &root);
  certified bob = certify({.common_name = "bob"}, &middle);
  certified rsa = certify({.common_name = "rsa", .is_rsa = true}, &root);
  certified mallory = certify({.common_name = "mallory"}, &stranger);
  certified late = certify({.common_name = "late", .valid_until_s = -60}, &root);
  certified server_only = certify({.common_name = "server", .purpose = "serverAuth"}, &root);

  std::shared_ptr<configurations> asking(client_certificates rule) const {
    // The stranger is in the bundle of another host, not here.
    return configurations_of(
        {files.host({"localhost"}, {rule, root.certificate_pem() + middle.certificate_pem()})});
  }
};

const world& all() {
  static const world made;
  return made;
}

TEST_CASE("a good client certificate gives the handler its subject and fingerprint",
          "[tls][rfc8446-4.4.2]") {
  const auto rule = GENERATE(client_certificates::optional, client_certificates::required);
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  const auto* who = GENERATE(&all().alice, &all().bob, &all().rsa);
  connection both(all().asking(rule), {.version = version, .certificate = who});
  both.exchange();
  REQUIRE(both.is_open());
  const auto client = both.server->client();
  REQUIRE(client.has_value());
  CHECK(client->fingerprint.size() == 64);
  unsigned char digest[32];
  X509_digest(who->certificate.get(), EVP_sha256(), digest, nullptr);
  CHECK(std::stoul(client->fingerprint.substr(0, 2), nullptr, 16) == digest[0]);
  if (who == &all().alice) CHECK(client->subject == "CN=Alice\\, \\C3\\9C");
  if (who == &all().bob) CHECK(client->subject == "CN=bob");
}

TEST_CASE("a bad client certificate ends the handshake also where it is optional",
          "[tls][rfc5280-6]") {
  const auto rule = GENERATE(client_certificates::optional, client_certificates::required);
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  const auto* who = GENERATE(&all().mallory, &all().late, &all().server_only);
  connection both(all().asking(rule), {.version = version, .certificate = who});
  both.exchange();
  CHECK_FALSE(both.server->is_open());
  CHECK(both.server->why().what == failure::client_certificate);
  CHECK_FALSE(both.server->why().detail.empty());
  CHECK(both.peer.fatal_alert() != 0);
}

TEST_CASE("no client certificate is refused only where it is required", "[tls][rfc8446-4.4.2.4]") {
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  for (const auto rule : {client_certificates::off, client_certificates::optional}) {
    connection both(all().asking(rule), {.version = version});
    both.exchange();
    CHECK(both.is_open());
    CHECK_FALSE(both.server->client().has_value());
  }
  connection both(all().asking(client_certificates::required), {.version = version});
  both.exchange();
  CHECK(both.server->why().what == failure::client_certificate);
}

TEST_CASE("a host that does not ask gets no client certificate", "[tls]") {
  connection both(all().asking(client_certificates::off), {.certificate = &all().mallory});
  both.exchange();
  CHECK(both.is_open());
  CHECK_FALSE(both.server->client().has_value());
}

}  // namespace
