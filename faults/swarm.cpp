#include "faults/swarm.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace bulkhead::faults {
namespace {

constexpr int tick_ms = 5;
constexpr std::size_t samples_max = 10;

actors::unique_fd owned(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return actors::unique_fd(fd);
}

std::string first_hello(SSL_CTX& context, const std::string& host) {
  std::string hello;
  tls::client_engine engine(context, host);
  static_cast<void>(engine.handshake({}, hello));
  return hello;
}

}  // namespace

swarm::swarm(swarm_settings settings)
    : settings_(std::move(settings)),
      context_(tls::make_client_context({.verify = false})),
      epoll_(owned(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      event_(owned(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")),
      open_by_fault_(settings_.faults.size()),
      figures_(settings_.faults.size()) {
  settings_.place.tls = context_.get();
  aim_ = {settings_.authority, first_hello(*context_, settings_.place.host)};
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = event_.get();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, event_.get(), &wanted);
  thread_ = std::jthread([this] { run(); });
}

swarm::~swarm() {
  ends_ = true;
  wake();
}

void swarm::launch(std::size_t fault, std::uint64_t seed) {
  ++open_by_fault_[fault];
  ++open_;
  {
    const std::lock_guard guard(mutex_);
    orders_.push_back({fault, seed});
  }
  wake();
}

void swarm::end_batch() {
  {
    const std::lock_guard guard(mutex_);
    ends_batch_ = true;
  }
  wake();
}

std::vector<fault_figures> swarm::figures() const {
  const std::lock_guard guard(mutex_);
  return figures_;
}

std::vector<std::string> swarm::samples() const {
  const std::lock_guard guard(mutex_);
  return samples_;
}

void swarm::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.get(), &one, sizeof one));
}

void swarm::run() {
  std::array<epoll_event, 256> events;
  auto looked = std::chrono::steady_clock::now();
  while (!ends_) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), tick_ms);
    bool has_orders = false;
    for (int i = 0; i < count; ++i) {
      const auto& one = events[static_cast<std::size_t>(i)];
      if (one.data.fd == event_.get())
        has_orders = true;
      else
        step(one.data.fd, (one.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
    }
    // Behind all events: a new peer may get the descriptor of one that has just ended.
    if (has_orders) take_orders();
    const auto now = std::chrono::steady_clock::now();
    if (now - looked >= std::chrono::milliseconds(tick_ms)) {
      looked = now;
      step_due();
    }
  }
}

void swarm::take_orders() {
  std::uint64_t ignored = 0;
  static_cast<void>(!::read(event_.get(), &ignored, sizeof ignored));
  std::vector<order> orders;
  bool ends_batch = false;
  {
    const std::lock_guard guard(mutex_);
    orders.swap(orders_);
    ends_batch = std::exchange(ends_batch_, false);
  }
  for (const auto& one : orders) start(one);
  if (!ends_batch) return;
  std::vector<int> idle;
  for (const auto& [fd, one] : peers_)
    if (!one.self->must_be_answered()) idle.push_back(fd);
  for (const int fd : idle) {
    peers_.at(fd).self->leave();
    finish(fd, peer::end::held);
  }
}

void swarm::start(order from) {
  random_source random(from.seed);
  const auto now = std::chrono::steady_clock::now();
  std::unique_ptr<peer> one;
  try {
    if (peers_.size() < settings_.peers_max)
      one = std::make_unique<peer>(write_script(settings_.faults[from.fault], random, aim_),
                                   settings_.place, now);
  } catch (const std::system_error&) {
  }
  {
    const std::lock_guard guard(mutex_);
    auto& figures = figures_[from.fault];
    ++(one ? figures.injected : figures.skipped);
  }
  if (!one) {
    --open_by_fault_[from.fault];
    --open_;
    return;
  }
  const int fd = one->fd();
  epoll_event wanted{};
  wanted.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  wanted.data.fd = fd;
  peers_[fd] = {std::move(one), from};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &wanted);
}

void swarm::step(int fd, bool gone) {
  const auto found = peers_.find(fd);
  if (found == peers_.end()) return;
  const auto how = found->second.self->run(std::chrono::steady_clock::now(), gone);
  if (how != peer::end::none) finish(fd, how);
}

void swarm::step_due() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<int> due;
  for (const auto& [fd, one] : peers_)
    if (one.self->due() <= now) due.push_back(fd);
  for (const int fd : due) step(fd, false);
}

void swarm::finish(int fd, peer::end how) {
  const auto found = peers_.find(fd);
  const auto& ended = *found->second.self;
  const auto from = found->second.from;
  const bool is_refused = how == peer::end::refused;
  const bool is_fine = is_refused ? !ended.must_be_answered() : ended.is_as_expected();
  {
    const std::lock_guard guard(mutex_);
    auto& figures = figures_[from.fault];
    if (is_refused) ++figures.refused;
    if (how == peer::end::server_closed) ++figures.closed;
    if (how == peer::end::server_reset) ++figures.reset;
    if (how == peer::end::left || how == peer::end::held) ++figures.left;
    if (ended.status() != 0) ++figures.answered[ended.status()];
    if (!is_fine) {
      ++figures.unexpected;
      const auto& fault = settings_.faults[from.fault];
      if (samples_.size() < samples_max)
        samples_.push_back(fault.kind + ' ' + fault.target + ": status " +
                           std::to_string(ended.status()) + ", seed " + std::to_string(from.seed));
    }
  }
  peers_.erase(found);
  --open_by_fault_[from.fault];
  --open_;
}

}  // namespace bulkhead::faults
