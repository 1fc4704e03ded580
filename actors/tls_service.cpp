#include "actors/tls_service.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "tls/self_signed.hpp"

namespace bulkhead::actors {

namespace {

tls::client_certificates rule_of(const tls_host& host) {
  if (host.client_certificates == "required") return tls::client_certificates::required;
  if (host.client_certificates == "optional") return tls::client_certificates::optional;
  return tls::client_certificates::off;
}

// Made anew when it expires within a day.
tls_host self_signed(const std::filesystem::path& folder,
                     std::chrono::system_clock::time_point now) {
  tls_host host;
  host.certificate_file = folder / "localhost.pem";
  host.key_file = folder / "localhost.key";
  std::error_code ignored;
  const bool has_certificate = std::filesystem::exists(host.certificate_file, ignored);
  if (!has_certificate && std::filesystem::exists(host.key_file, ignored))
    throw std::invalid_argument(host.key_file + ": a key without " + host.certificate_file);
  if (has_certificate) {
    // Looked at as of when it was made: only its end matters here.
    const auto age = std::filesystem::file_time_type::clock::now() -
                     std::filesystem::last_write_time(host.certificate_file, ignored);
    const auto made = now - std::chrono::duration_cast<std::chrono::system_clock::duration>(age);
    const auto there = tls::material::load(
        {.certificate_file = host.certificate_file, .key_file = host.key_file}, made);
    if (!there.value || there.value->expires() > now + std::chrono::days(1)) return host;
  }
  std::filesystem::create_directories(folder, ignored);
  const auto fault = tls::write_self_signed(host.certificate_file, host.key_file, now);
  if (!fault.empty()) throw std::invalid_argument(fault);
  return host;
}

std::shared_ptr<const tls::virtual_hosts> load(const config& settings,
                                               const tls::ticket_keys& keys) {
  std::vector<std::shared_ptr<const tls::material>> materials;
  const auto now = std::chrono::system_clock::now();
  auto hosts = settings.tls_hosts;
  if (hosts.empty()) hosts.push_back(self_signed(settings.tls_self_signed, now));
  for (const auto& host : hosts) {
    auto loaded = tls::material::load({.certificate_file = host.certificate_file,
                                       .key_file = host.key_file,
                                       .password_file = host.password_file,
                                       .clients = rule_of(host),
                                       .client_ca_file = host.client_ca_file},
                                      now);
    if (!loaded.value) throw std::invalid_argument(loaded.error);
    materials.push_back(std::move(loaded.value));
  }
  return std::make_shared<const tls::virtual_hosts>(std::move(materials), keys,
                                                    settings.tls_unknown_names == "refuse"
                                                        ? tls::unknown_names::are_refused
                                                        : tls::unknown_names::get_default);
}

}  // namespace

void tls_service::check(const config& settings) {
  if (!settings.tls_hosts.empty()) load(settings, tls::ticket_keys::generate());
}

tls_service::tls_service(const config& settings)
    : hosts_(load(settings, keys_)),
      configurations_(std::make_shared<tls::configurations>(hosts_)) {}

std::shared_ptr<tls::configurations> tls_service::current() {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard guard(mutex_);
  if (now - keys_made_ >= keys_lifetime) {
    keys_ = keys_.rotated();
    keys_made_ = now;
    hosts_ = std::make_shared<const tls::virtual_hosts>(hosts_->with(keys_));
    configurations_ = std::make_shared<tls::configurations>(hosts_);
  }
  return configurations_;
}

void tls_service::reload(const config& settings) {
  const auto keys = [this] {
    const std::lock_guard guard(mutex_);
    return keys_;
  }();
  auto hosts = load(settings, keys);
  const std::lock_guard guard(mutex_);
  hosts_ = std::move(hosts);
  configurations_ = std::make_shared<tls::configurations>(hosts_);
}

}  // namespace bulkhead::actors
