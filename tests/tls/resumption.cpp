// Tickets: where they resume a session, and where they must not.
#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/tls/connection.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;

struct world {
  workshop files;
  certified authority = certify({.common_name = "root", .is_authority = true});
  certified other_authority = certify({.common_name = "other", .is_authority = true});
  certified alice = certify({.common_name = "alice"}, &authority);
  certified b_host = certify({.names = {"b.example"}});
  std::shared_ptr<const material> a = files.host({"a.example", "also-a.example"});
  std::shared_ptr<const material> b =
      files.host_of(b_host, {client_certificates::required, authority.certificate_pem()});
};

const world& all() {
  static const world made;
  return made;
}

session_ptr ticket_of(const std::shared_ptr<configurations>& from, const client_wish& wish) {
  connection both(from, wish);
  both.exchange();
  REQUIRE(both.is_open());
  REQUIRE(both.server->write("x", both.to_client).consumed == 1);
  both.exchange();
  return both.peer.ticket();
}

struct outcome {
  bool open;
  bool resumed;
  failure why;
};

outcome with_ticket(const std::shared_ptr<configurations>& from, client_wish wish,
                    const session_ptr& ticket) {
  wish.resumed = ticket.get();
  connection both(from, wish);
  both.exchange();
  CHECK(both.server->is_resumed() == (both.is_open() && both.peer.is_resumed()));
  return {both.is_open(), both.is_open() && both.peer.is_resumed(), both.server->why().what};
}

std::shared_ptr<configurations> with_keys(const virtual_hosts& hosts, const ticket_keys& keys) {
  return std::make_shared<configurations>(std::make_shared<const virtual_hosts>(hosts.with(keys)));
}

TEST_CASE("a session resumes with a ticket on the same virtual host", "[tls][rfc5077-3]") {
  const auto hosts = configurations_of({all().a, all().b});
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  const client_wish wish{.server_name = "a.example", .version = version};
  auto ticket = ticket_of(hosts, wish);
  CHECK(with_ticket(hosts, wish, ticket).resumed);
}

TEST_CASE("a resumed session knows its client's certificate", "[tls][rfc5077-3]") {
  const auto hosts = configurations_of({all().a, all().b});
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  client_wish wish{.server_name = "b.example", .version = version, .certificate = &all().alice};
  const auto ticket = ticket_of(hosts, wish);
  wish.resumed = ticket.get();
  connection both(hosts, wish);
  both.exchange();
  REQUIRE(both.is_open());
  CHECK(both.server->is_resumed());
  REQUIRE(both.server->client().has_value());
  CHECK(both.server->client()->subject == "CN=alice");
}

TEST_CASE("the ticket of a host without client certificates does not open one that demands them",
          "[tls][B059]") {
  const auto hosts = configurations_of({all().a, all().b});
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  const auto ticket = ticket_of(hosts, {.server_name = "a.example", .version = version});
  const auto refused = with_ticket(hosts, {.server_name = "b.example", .version = version}, ticket);
  CHECK_FALSE(refused.resumed);
  CHECK(refused.why == failure::client_certificate);
  const auto served = with_ticket(
      hosts, {.server_name = "b.example", .version = version, .certificate = &all().alice}, ticket);
  CHECK(served.open);
  CHECK_FALSE(served.resumed);
}

TEST_CASE("a ticket does not survive a change of the host's rules for clients", "[tls][B059]") {
  const auto keys = ticket_keys::generate();
  const auto from = [&](const std::shared_ptr<const material>& host) {
    return std::make_shared<configurations>(std::make_shared<const virtual_hosts>(
        std::vector<std::shared_ptr<const material>>{host}, keys));
  };
  const auto rule = [](client_certificates clients, const certified& ca) {
    return all().files.host_of(all().b_host, {clients, ca.certificate_pem()});
  };
  const auto before = from(rule(client_certificates::optional, all().authority));
  const client_wish wish{.server_name = "b.example",
                         .version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION)};
  const auto ticket = ticket_of(before, wish);
  CHECK(with_ticket(from(rule(client_certificates::optional, all().authority)), wish, ticket)
            .resumed);
  CHECK_FALSE(
      with_ticket(from(rule(client_certificates::optional, all().other_authority)), wish, ticket)
          .resumed);
  CHECK(with_ticket(from(rule(client_certificates::required, all().authority)), wish, ticket).why ==
        failure::client_certificate);
}

TEST_CASE("tickets of the previous key are taken and those of older keys are not",
          "[tls][rfc5077-5.5]") {
  const virtual_hosts hosts({all().a}, ticket_keys::generate());
  const auto first = ticket_keys::generate();
  const auto second = first.rotated();
  const auto third = second.rotated();
  const client_wish wish{.server_name = "a.example",
                         .version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION)};
  const auto ticket = ticket_of(with_keys(hosts, first), wish);
  CHECK(with_ticket(with_keys(hosts, second), wish, ticket).resumed);
  const auto after = with_ticket(with_keys(hosts, third), wish, ticket);
  CHECK(after.open);
  CHECK_FALSE(after.resumed);
}

TEST_CASE("a session that resumes with an old key is given a ticket of the new one",
          "[tls][rfc5077-3.3]") {
  const virtual_hosts hosts({all().a}, ticket_keys::generate());
  const auto first = ticket_keys::generate();
  const auto second = first.rotated();
  client_wish wish{.server_name = "a.example", .version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION)};
  const auto old_ticket = ticket_of(with_keys(hosts, first), wish);
  wish.resumed = old_ticket.get();
  const auto new_ticket = ticket_of(with_keys(hosts, second), wish);
  CHECK(with_ticket(with_keys(hosts, second.rotated()), wish, new_ticket).resumed);
}

TEST_CASE("without a ticket nothing resumes: the server keeps no sessions", "[tls]") {
  const auto hosts = configurations_of({all().a});
  const client_wish wish{.version = TLS1_2_VERSION, .takes_tickets = false};
  const auto session = ticket_of(hosts, wish);
  const auto after = with_ticket(hosts, wish, session);
  CHECK(after.open);
  CHECK_FALSE(after.resumed);
}

TEST_CASE("no ticket allows early data", "[tls][rfc8446-8]") {
  const auto hosts = configurations_of({all().a});
  const auto ticket = ticket_of(hosts, {.version = TLS1_3_VERSION});
  CHECK(SSL_SESSION_get_max_early_data(ticket.get()) == 0);
}

}  // namespace
