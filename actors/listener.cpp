#include "actors/listener.hpp"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "actors/activation.hpp"
#include "actors/cpus.hpp"
#include "actors/validate.hpp"

namespace bulkhead::actors {

namespace {

listener made_of(std::vector<unique_fd> sockets, socket_file file = {}) {
  auto address = bound_to(sockets.front().get());
  return {std::move(sockets), std::move(address), std::move(file)};
}

void add_unix(std::vector<listener>& to, const std::string& path, unsigned count) {
  auto bound = listen_on_unix(path);
  to.push_back(made_of(duplicates(std::move(bound.socket), count), std::move(bound.file)));
}

void add_activated(std::vector<listener>& to, unsigned count) {
  auto taken = take_activated_sockets();
  if (taken.empty())
    throw std::invalid_argument(
        "listen: 'systemd', but LISTEN_PID names no sockets for this process");
  for (auto& each : taken) {
    set_tcp_options(each.socket.get());
    to.push_back(made_of(duplicates(std::move(each.socket), count)));
    spdlog::info("listening on descriptor {} ({}) from systemd: {}", each.number,
                 each.name.empty() ? "no name" : each.name, to.back().address);
  }
}

// Names such as localhost stand for addresses that this machine may not have.
bool is_not_here(const std::system_error& wrong) {
  return wrong.code().value() == EADDRNOTAVAIL || wrong.code().value() == EAFNOSUPPORT;
}

void add_addresses(std::vector<listener>& to, const std::string& text, unsigned count) {
  const auto before = to.size();
  std::exception_ptr missing;
  for (const auto& address : resolve(text)) {
    try {
      to.push_back(made_of(listen_on(address, count)));
    } catch (const std::system_error& wrong) {
      if (!is_not_here(wrong)) throw;
      missing = std::current_exception();
    }
  }
  if (to.size() == before && missing) std::rethrow_exception(missing);
}

}  // namespace

std::vector<listener> listen_on(const std::vector<std::string>& texts, unsigned count) {
  std::vector<listener> listeners;
  for (const auto& text : texts) {
    if (text == "systemd")
      add_activated(listeners, count);
    else if (text.starts_with(unix_prefix))
      add_unix(listeners, text.substr(unix_prefix.size()), count);
    else
      add_addresses(listeners, text, count);
  }
  return listeners;
}

listening open_listening(const config& settings) {
  validate(settings);
  listening all;
  if (!settings.tls_listen.empty()) all.tls = std::make_shared<tls_service>(settings);
  const auto threads = settings.threads > 0 ? settings.threads : usable_cpus();
  all.service = listen_on(settings.listen, threads);
  all.secure = listen_on(settings.tls_listen, threads);
  if (!settings.admin_listen.empty()) all.admin = listen_on(std::vector{settings.admin_listen}, 1);
  return all;
}

}  // namespace bulkhead::actors
