#include "actors/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <system_error>
#include <utility>

#include "actors/access_log.hpp"
#include "actors/admin.hpp"
#include "actors/instance.hpp"
#include "actors/listener.hpp"
#include "actors/reload.hpp"
#include "actors/service.hpp"
#include "actors/socket.hpp"
#include "actors/validate.hpp"

namespace bulkhead {

struct server::implementation {
  explicit implementation(config settings) : shared(std::move(settings)) {}

  actors::service shared;
  std::vector<std::string> addresses;
  std::vector<actors::socket_file> unix_files;
  statistics last;  // of the run before, once stopped
  actors::unique_fd stop_request{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  mutable std::mutex mutex;  // guards what start() and stop() change
  // In the order of their lives: the log takes records until the last session has
  // ended, the admin asks the running server.
  std::unique_ptr<bulkhead::access_log> log;
  std::shared_ptr<actors::running_server> running;
  std::unique_ptr<actors::admin> admin;

  void stop_admin() {
    std::unique_ptr<actors::admin> ending;
    const std::lock_guard guard(mutex);
    ending.swap(admin);
  }

  void start_admin(actors::listener on) {
    auto& of = *running;
    admin = std::make_unique<actors::admin>(
        std::move(on), actors::admin_sources{.figures = [&of] { return of->figures(); },
                                             .live = [&of] { return of->fault(); },
                                             .ready = [&of] { return of->unreadiness(); },
                                             .handlers = [&of] { return of->handlers(); }});
  }

  std::shared_ptr<actors::running_server> current() const {
    const std::lock_guard guard(mutex);
    return running;
  }
  void require_stopped(const std::string& what) const {
    if (running) throw std::logic_error(what + " after start(): call it before, or behind stop()");
  }
  void require_stopped(const char* what, std::string_view pattern) const {
    require_stopped(what + ("('" + std::string(pattern) + "')"));
  }
};

server::server(config settings)
    : implementation_(std::make_unique<implementation>(std::move(settings))) {}

server::~server() {
  stop();
}

server& server::route(std::initializer_list<std::string_view> methods, std::string_view pattern,
                      handler handle) {
  implementation_->require_stopped("route", pattern);
  implementation_->shared.routes.add(methods, pattern, {std::move(handle), {}});
  return *this;
}

server& server::get(std::string_view pattern, handler handle) {
  return route({"GET"}, pattern, std::move(handle));
}

server& server::post(std::string_view pattern, handler handle) {
  return route({"POST"}, pattern, std::move(handle));
}

server& server::receive(std::initializer_list<std::string_view> methods, std::string_view pattern,
                        upload_handler handle) {
  implementation_->require_stopped("receive", pattern);
  implementation_->shared.routes.add(methods, pattern, {{}, std::move(handle)});
  return *this;
}

server& server::fallback(handler handle) {
  implementation_->require_stopped("fallback()");
  implementation_->shared.routes.set_fallback({std::move(handle), {}});
  return *this;
}

server& server::on_access(access_sink sink) {
  implementation_->require_stopped("on_access()");
  implementation_->shared.on_access = std::move(sink);
  return *this;
}

server& server::on_exception(exception_hook hook) {
  implementation_->require_stopped("on_exception()");
  implementation_->shared.on_exception = std::move(hook);
  return *this;
}

void server::start() {
  implementation_->require_stopped("start()");
  start(actors::open_listening(implementation_->shared.settings()));
}

void server::start(actors::listening&& sockets, bool without_failed) {
  auto& own = *implementation_;
  const std::lock_guard guard(own.mutex);
  own.require_stopped("start()");
  const auto& settings = own.shared.settings();
  actors::validate(settings);
  std::vector<actors::instance::door> doors;
  std::vector<std::string> bound;
  std::vector<actors::socket_file> files;
  const auto open = [&](std::vector<actors::listener>& on, bool secure) {
    for (auto& each : on) {
      doors.push_back({std::move(each.sockets), secure});
      bound.push_back(std::move(each.address));
      files.push_back(std::move(each.file));
    }
  };
  open(sockets.service, false);
  open(sockets.secure, true);
  const auto threads = static_cast<unsigned>(doors.front().sockets.size());
  own.shared.tls = std::move(sockets.tls);
  own.log.reset();
  if (!settings.access_log.empty())
    own.log = std::make_unique<bulkhead::access_log>(access_log_settings{
        .path = settings.access_log,
        .format = settings.access_log_format == "text" ? log_format::text : log_format::json});
  own.shared.log = own.log.get();
  actors::require_descriptors(settings, threads);
  own.shared.starts_without_guests = without_failed;
  own.shared.replace_guests(actors::service::table_for(settings, {}, without_failed));
  own.running = std::make_shared<actors::running_server>(own.shared, std::move(doors), threads);
  try {
    if (!sockets.admin.empty()) own.start_admin(std::move(sockets.admin.front()));
  } catch (...) {
    own.running.reset();
    throw;
  }
  own.addresses = std::move(bound);
  own.unix_files = std::move(files);
}

std::vector<std::string> server::reload(config next) {
  auto& own = *implementation_;
  const std::lock_guard guard(own.mutex);
  actors::validate(next);
  std::vector<std::string> later;
  if (own.running) {
    actors::require_guest_files(next);
    actors::require_descriptors(next, (*own.running)->reactors());
    auto table = actors::service::table_for(next, own.shared.guests()->all);
    later = actors::keep_for_now(own.shared.settings(), next);
    if (own.shared.tls) own.shared.tls->reload(next);
    if (own.log) own.log->reopen();
    own.shared.replace_guests(std::move(table));
    (*own.running)->adopt_guests();
  }
  own.shared.replace_settings(std::move(next));
  return later;
}

std::vector<std::string> server::addresses() const {
  const std::lock_guard guard(implementation_->mutex);
  return implementation_->addresses;
}

std::string server::admin_address() const {
  const std::lock_guard guard(implementation_->mutex);
  return implementation_->admin ? implementation_->admin->address() : "";
}

statistics server::stats() const {
  const auto running = implementation_->current();
  return running ? (*running)->stats() : implementation_->last;
}

void server::drain() {
  const auto running = implementation_->current();
  if (!running) return;
  (*running)->begin_to_drain();
  (*running)->wait_for_end(implementation_->shared.settings().deadlines.drain);
  stop();
}

void server::stop() {
  auto& own = *implementation_;
  if (actors::reactor::on_reactor_thread()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(own.stop_request.get(), &one, sizeof one);
    return;
  }
  // Taken down outside of the lock: handlers that still run may ask for figures.
  const auto ending = own.current();
  if (!ending) return;
  own.stop_admin();
  (*ending)->stop();
  const std::lock_guard guard(own.mutex);
  own.last = (*ending)->stats();
  own.addresses.clear();
  own.unix_files.clear();
  if (own.running == ending) own.running.reset();
}

void server::run() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const actors::unique_fd signal_fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!implementation_->current()) start();
  const auto running = implementation_->current();
  std::array<pollfd, 2> waited{
      {{signal_fd.get(), POLLIN, 0}, {implementation_->stop_request.get(), POLLIN, 0}}};
  const auto told = [&](int wait_ms) { return ::poll(waited.data(), waited.size(), wait_ms) > 0; };
  const auto take = [&] {
    signalfd_siginfo signal;
    std::uint64_t wishes = 0;
    [[maybe_unused]] auto got = ::read(signal_fd.get(), &signal, sizeof signal);
    got = ::read(implementation_->stop_request.get(), &wishes, sizeof wishes);
  };
  while (!told(-1)) {
  }
  take();
  (*running)->begin_to_drain();
  const auto end =
      std::chrono::steady_clock::now() + implementation_->shared.settings().deadlines.drain;
  while (!(*running)->wait_for_end(std::chrono::milliseconds(1)) && !told(10) &&
         std::chrono::steady_clock::now() < end) {
  }
  stop();
  take();
}

}  // namespace bulkhead
