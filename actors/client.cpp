#include "actors/client.hpp"

#include <algorithm>
#include <utility>

#include "actors/client_exchange.hpp"
#include "actors/client_wire.hpp"
#include "protocol/tokens.hpp"
#include "tls/client_engine.hpp"

namespace bulkhead {

namespace {

// RFC 9110 section 9.2.2.
bool is_idempotent(protocol::method method) {
  switch (method) {
    case protocol::method::get:
    case protocol::method::head:
    case protocol::method::options:
    case protocol::method::trace:
    case protocol::method::put:
    case protocol::method::delete_:
      return true;
    default:
      return false;
  }
}

void check(const client_request& asked) {
  if (asked.known_method() == protocol::method::connect || asked.asks_upgrade())
    throw std::invalid_argument("the client speaks nothing but HTTP: no CONNECT and no Upgrade");
}

}  // namespace

std::string_view client_answer::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      fields, [name](const client_field& one) { return protocol::same_word(one.name, name); });
  return found == fields.end() ? std::string_view{} : found->value;
}

struct client::implementation {
  implementation(std::string_view origin, client_settings chosen)
      : to(actors::parse_origin(origin)), settings(std::move(chosen)) {
    if (const char* wrong = protocol::check(settings.limits)) throw std::invalid_argument(wrong);
    if (to.secure)
      context = tls::make_client_context({.ca_file = settings.ca_file,
                                          .verify = settings.verify,
                                          .certificate_file = settings.certificate_file,
                                          .key_file = settings.key_file,
                                          .password_file = settings.password_file});
  }

  std::unique_ptr<actors::client_link> connect(actors::client_wire::time_point until) {
    const auto now = std::chrono::steady_clock::now();
    auto link = std::make_unique<actors::client_link>(
        to, context.get(), settings.limits, std::min(until, now + settings.deadlines.connect));
    ++connections;
    return link;
  }

  // The connection is out of `kept` meanwhile: whatever throws takes it along.
  client_answer send(const client_request& asked, const client_streams& streams) {
    const auto begun = std::chrono::steady_clock::now();
    const auto until = begun + settings.deadlines.exchange;
    auto link = std::exchange(kept, nullptr);
    if (link && !link->wire.is_quiet()) link = nullptr;
    for (bool is_reused = link != nullptr;; is_reused = false) {
      if (!link) link = connect(until);
      actors::client_exchange exchange(*link, to, asked, streams);
      const auto continue_until =
          std::chrono::steady_clock::now() + settings.deadlines.continue_wait;
      if (auto answer = exchange.run(until, continue_until)) {
        if (exchange.keeps_connection()) kept = std::move(link);
        return std::move(*answer);
      }
      if (!is_reused || !is_idempotent(asked.known_method()) || exchange.asked_source())
        throw client_error(client_failure::closed, to.text,
                           "the connection was closed without an answer");
      link = nullptr;
    }
  }

  const actors::origin to;
  const client_settings settings;
  tls::ssl_ctx_ptr context;
  std::unique_ptr<actors::client_link> kept;
  std::uint64_t connections = 0;
};

client::client(std::string_view origin, client_settings settings)
    : implementation_(std::make_unique<implementation>(origin, std::move(settings))) {}
client::client(client&& other) noexcept = default;
client& client::operator=(client&& other) noexcept = default;
client::~client() = default;

client_request client::request(std::string_view method, std::string_view target) const {
  return {method, target, implementation_->to.authority};
}

std::uint64_t client::connections() const {
  return implementation_->connections;
}

client_answer client::send(const client_request& asked, const client_streams& streams) {
  check(asked);
  return implementation_->send(asked, streams);
}

}  // namespace bulkhead
