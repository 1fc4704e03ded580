#include "actors/secure_channel.hpp"

#include <utility>

namespace bulkhead::actors {

namespace {

// The host without its port and without the dot of the root, in lower case. A name can be
// written in more ways, with percent escapes, than certificates know: empty then.
std::string name_of(std::string_view authority) {
  const auto colon = authority.rfind(':');
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos)
    authority = authority.substr(0, colon);
  if (authority.ends_with('.')) authority.remove_suffix(1);
  std::string name(authority);
  for (auto& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._[]:").find(c) != std::string_view::npos;
    if (!plain) return {};
  }
  return name.ends_with('.') ? std::string() : name;
}

}  // namespace

std::string_view secure_channel::with(std::string_view fresh) {
  if (received_.empty()) return fresh;
  received_.append(fresh);
  return std::string_view(received_).substr(taken_);
}

void secure_channel::keep_untaken(std::string_view input, std::size_t taken) {
  if (received_.empty()) {
    received_.assign(input.substr(taken));
    return;
  }
  taken_ += taken;
  if (taken_ < received_.size()) return;
  received_.clear();
  taken_ = 0;
}

void secure_channel::advance(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < output_.size()) return;
  output_.clear();
  sent_ = 0;
}

const tls_facts& secure_channel::facts() {
  if (facts_) return *facts_;
  facts_ = std::make_unique<tls_facts>();
  facts_->version = engine_.version();
  facts_->cipher = engine_.cipher();
  facts_->server_name = engine_.server_name();
  facts_->resumed = engine_.is_resumed();
  if (auto client = engine_.client()) {
    facts_->client_subject = std::move(client->subject);
    facts_->client_fingerprint = std::move(client->fingerprint);
  }
  return *facts_;
}

bool secure_channel::is_misdirected(std::string_view authority) const {
  const auto& hosts = engine_.hosts();
  if (hosts.all().size() == 1) return false;
  const auto name = name_of(authority);
  return name.empty() || hosts.find(name) != engine_.host();
}

void secure_channel::shrink() {
  if (received_.empty()) std::string().swap(received_);
  if (output_.empty()) std::string().swap(output_);
}

std::size_t secure_channel::held_bytes() const {
  return engine_.held_bytes() + received_.capacity() + output_.capacity();
}

}  // namespace bulkhead::actors
