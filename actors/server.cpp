#include "actors/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "actors/acceptor.hpp"
#include "actors/access_log.hpp"
#include "actors/admin.hpp"
#include "actors/cpus.hpp"
#include "actors/heartbeat.hpp"
#include "actors/listener.hpp"
#include "actors/metrics.hpp"
#include "actors/runtime/system.hpp"
#include "actors/service.hpp"
#include "actors/shard.hpp"
#include "actors/signals_blocked.hpp"
#include "actors/socket.hpp"
#include "actors/validate.hpp"

namespace bulkhead {

namespace {

// One instance from start() to stop(). The members' order is their lifetime:
// sessions use shards, and everything that is an actor must have ended, and all
// references to it must be gone, before the system goes.
class instance {
 public:
  instance(actors::service& shared, std::vector<std::vector<actors::unique_fd>> listeners,
           unsigned threads);
  ~instance() { stop(); }

  void begin_to_drain();
  // Whether everything has ended within that time.
  bool wait_for_end(std::chrono::milliseconds time);
  // Ends everything and waits for it; again: nothing. From any thread.
  void stop();
  statistics stats();
  actors::metrics_snapshot figures();
  // What keeps it from serving, in a few words; nothing: all is well.
  std::string fault() { return pulse_.ask(std::chrono::seconds(1)); }
  std::string unreadiness() const { return draining_ ? "draining" : ""; }

 private:
  actors::service& shared_;
  std::vector<std::unique_ptr<actors::shard>> shards_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t acceptors_alive_;
  std::atomic<bool> draining_{false};
  actors::runtime_system system_;
  actors::heartbeat pulse_{system_.reactors()};
  std::vector<actors::actor_ref<actors::acceptor>> acceptors_;
};

instance::instance(actors::service& shared, std::vector<std::vector<actors::unique_fd>> listeners,
                   unsigned threads)
    : shared_(shared),
      acceptors_alive_(listeners.size() * threads),
      system_({.reactors = threads, .spare_threads_max = shared.settings.spare_threads_max}) {
  for (unsigned i = 0; i < threads; ++i) {
    auto& home = system_.reactors().at(i);
    shards_.push_back(std::make_unique<actors::shard>(shared, home));
    for (auto& sockets : listeners) {
      auto child =
          actors::spawn_polled<actors::acceptor>(home, *shards_.back(), std::move(sockets[i]));
      child->attach_functor([this](const caf::error&) {
        const std::lock_guard guard(mutex_);
        if (--acceptors_alive_ == 0) ended_.notify_all();
      });
      acceptors_.push_back(std::move(child));
    }
  }
  for (auto& a : acceptors_) a->post(actors::work::readable);
}

void instance::begin_to_drain() {
  draining_ = true;
  for (auto& a : acceptors_) a->post(actors::work::drain);
}

bool instance::wait_for_end(std::chrono::milliseconds time) {
  std::unique_lock guard(mutex_);
  return ended_.wait_for(guard, time, [this] { return acceptors_alive_ == 0; });
}

void instance::stop() {
  for (auto& a : acceptors_) a->post(actors::work::stop);
  std::unique_lock guard(mutex_);
  ended_.wait(guard, [this] { return acceptors_alive_ == 0; });
}

statistics instance::stats() {
  statistics sum;
  sum.held_bytes = shared_.held_bytes.load(std::memory_order_relaxed);
  sum.sessions = shared_.sessions.load(std::memory_order_relaxed);
  for (const auto& s : shards_) {
    const auto& c = s->counters();
    sum.accepted += c.accepted.value();
    sum.sessions_refused += c.sessions_refused.value();
    sum.sessions_ended += c.sessions_ended.value();
    sum.requests += c.requests.value();
    sum.requests_refused += c.requests_refused.value();
    sum.handler_exceptions += c.handler_exceptions.value();
    sum.shed += c.ended_by_reason[static_cast<std::size_t>(reason::shed)].value();
    const auto& completions = s->completions().counted();
    sum.completion_attempts += completions.attempts.value();
    sum.completion_full += completions.full.value();
    sum.completion_retries += completions.retries.value();
    sum.completion_deliveries += completions.deliveries.value();
  }
  sum.handovers = system_.reactors().handovers();
  return sum;
}

actors::metrics_snapshot instance::figures() {
  const auto now = stats();
  actors::metrics_snapshot all;
  for (const auto& s : shards_) all.add(s->counters());
  all.sessions = now.sessions;
  all.sessions_max = shared_.settings.sessions_max;
  all.handovers = now.handovers;
  all.held_bytes = now.held_bytes;
  all.held_bytes_max = shared_.settings.memory_bytes_max;
  all.completion_attempts = now.completion_attempts;
  all.completion_full = now.completion_full;
  all.completion_retries = now.completion_retries;
  all.completion_deliveries = now.completion_deliveries;
  if (shared_.log) {
    const auto lines = shared_.log->counts();
    all.log_dropped = lines.dropped;
    all.log_suppressed = lines.suppressed;
  }
  all.process = actors::read_process_figures();
  return all;
}

// Makes an instance on a thread of its own and takes it down there. CAF keeps a
// reference to a system's logger for each thread that made it or spawned in it,
// and the system waits for all of them when it goes: on threads of the embedder
// that could be for ever.
class running_server {
 public:
  // Rethrows what the instance's construction throws.
  template <class... Args>
  explicit running_server(Args&&... args) {
    const actors::signals_blocked blocked;
    owner_ = std::thread([&] {
      try {
        instance made_here(std::forward<Args>(args)...);
        made_.set_value(&made_here);
        finish_.wait();
      } catch (...) {
        made_.set_exception(std::current_exception());
      }
    });
    try {
      instance_ = made_.get_future().get();
    } catch (...) {
      owner_.join();
      throw;
    }
  }
  ~running_server() {
    instance_->stop();
    finish_.count_down();
    owner_.join();
  }
  running_server(const running_server&) = delete;
  running_server& operator=(const running_server&) = delete;

  instance* operator->() { return instance_; }

 private:
  std::promise<instance*> made_;
  std::latch finish_{1};
  std::thread owner_;
  instance* instance_ = nullptr;
};

}  // namespace

struct server::implementation {
  explicit implementation(config settings) { shared.settings = std::move(settings); }

  actors::service shared;
  std::vector<std::string> addresses;
  std::vector<actors::socket_file> unix_files;
  statistics last;  // of the run before, once stopped
  actors::unique_fd stop_request{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  mutable std::mutex mutex;  // guards what start() and stop() change
  // In the order of their lives: the log takes records until the last session has
  // ended, the admin asks the running server.
  std::unique_ptr<bulkhead::access_log> log;
  std::shared_ptr<running_server> running;
  std::unique_ptr<actors::admin> admin;

  void stop_admin() {
    std::unique_ptr<actors::admin> ending;
    const std::lock_guard guard(mutex);
    ending.swap(admin);
  }

  void start_admin() {
    if (shared.settings.admin_listen.empty()) return;
    auto& of = *running;
    admin = std::make_unique<actors::admin>(
        shared.settings.admin_listen,
        actors::admin_sources{.figures = [&of] { return of->figures(); },
                              .live = [&of] { return of->fault(); },
                              .ready = [&of] { return of->unreadiness(); }});
  }

  std::shared_ptr<running_server> current() const {
    const std::lock_guard guard(mutex);
    return running;
  }
  void require_stopped(const char* what) const {
    if (running) throw std::logic_error(std::string(what) + " after start()");
  }
};

server::server(config settings)
    : implementation_(std::make_unique<implementation>(std::move(settings))) {}

server::~server() {
  stop();
}

server& server::route(std::initializer_list<std::string_view> methods, std::string_view pattern,
                      handler handle) {
  implementation_->require_stopped("route()");
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
  implementation_->require_stopped("receive()");
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
  auto& own = *implementation_;
  const std::lock_guard guard(own.mutex);
  own.require_stopped("start()");
  const auto& settings = own.shared.settings;
  actors::validate(settings);
  const unsigned threads = settings.threads > 0 ? settings.threads : actors::usable_cpus();
  std::vector<std::vector<actors::unique_fd>> listeners;
  std::vector<std::string> bound;
  std::vector<actors::socket_file> files;
  for (auto& each : actors::listen_on(settings.listen, threads)) {
    listeners.push_back(std::move(each.sockets));
    bound.push_back(std::move(each.address));
    files.push_back(std::move(each.file));
  }
  own.log = settings.access_log.empty() ? nullptr
                                        : std::make_unique<bulkhead::access_log>(
                                              access_log_settings{.path = settings.access_log});
  own.shared.log = own.log.get();
  own.running = std::make_shared<running_server>(own.shared, std::move(listeners), threads);
  try {
    own.start_admin();
  } catch (...) {
    own.running.reset();
    throw;
  }
  own.addresses = std::move(bound);
  own.unix_files = std::move(files);
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
  (*running)->wait_for_end(implementation_->shared.settings.deadlines.drain);
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
      std::chrono::steady_clock::now() + implementation_->shared.settings.deadlines.drain;
  while (!(*running)->wait_for_end(std::chrono::milliseconds(1)) && !told(10) &&
         std::chrono::steady_clock::now() < end) {
  }
  stop();
  take();
}

}  // namespace bulkhead
