#include "faults/own_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "actors/socket.hpp"

namespace bulkhead::faults {
namespace {

using namespace std::chrono_literals;

constexpr auto start_patience = 30s;  // instrumented builds start slowly

[[noreturn]] void fail_with(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::filesystem::path make_folder() {
  auto name = (std::filesystem::temp_directory_path() / "bulkhead-soak-XXXXXX").string();
  if (!::mkdtemp(name.data())) fail_with(name.c_str());
  return name;
}

// Between fork and exec: nothing but system calls.
[[noreturn]] void become(const char* const* arguments, int out, int log, rlim_t descriptors_max,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  ::setpgid(0, 0);  // a terminal's Ctrl-C is for the tool, which then stops it
  ::dup2(out, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  if (descriptors_max > 0) {
    const rlimit limit{descriptors_max, descriptors_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv("/proc/self/exe", const_cast<char* const*>(arguments));
  ::_exit(127);
}

}  // namespace

own_server::own_server(const own_server_settings& with) : own_server(make_folder()) {
  std::vector<std::string> words{"bulkhead",       "serve",       "--listen",      "127.0.0.1:0",
                                 "--tls-listen",   "127.0.0.1:0", "--self-signed", folder_.string(),
                                 "--admin-listen", "127.0.0.1:0"};
  if (!with.config.empty())
    words.insert(words.end(), {"--config", write("bulkhead.toml", with.config), "--wasm-cache",
                               (folder_ / "wasm").string()});
  for (const auto& [name, content] : with.files) write("files/" + name, content);
  if (!with.files.empty()) words.insert(words.end(), {"--root", (folder_ / "files").string()});
  words.insert(words.end(), with.options.begin(), with.options.end());
  std::vector<const char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const auto& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_with("pipe2");
  const actors::unique_fd from(ends[0]);
  actors::unique_fd to(ends[1]);
  const actors::unique_fd log(
      ::open((folder_ / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  if (!log) fail_with("log");
  const auto parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail_with("fork");
  if (pid_ == 0) become(arguments.data(), to.get(), log.get(), with.descriptors_max, parent);
  to.reset();
  read_addresses(from.get());
}

own_server::~own_server() {
  if (!has_ended()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string own_server::write(const std::filesystem::path& name, const std::string& content) const {
  const auto path = folder_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << content << std::flush;
  if (!file) fail_with(path.c_str());
  return path.string();
}

void own_server::read_addresses(int fd) {
  const auto until = std::chrono::steady_clock::now() + start_patience;
  std::string text;
  while (admin_.empty() && std::chrono::steady_clock::now() < until) {
    pollfd wanted{fd, POLLIN, 0};
    if (::poll(&wanted, 1, 100) <= 0) continue;
    std::array<char, 1000> room{};
    const auto n = ::read(fd, room.data(), room.size());
    if (n <= 0) break;
    text.append(room.data(), static_cast<std::size_t>(n));
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      take_line(text.substr(0, end));
      text.erase(0, end + 1);
    }
  }
  if (!admin_.empty() && !plain_.empty() && !secure_.empty()) return;
  throw std::runtime_error("the server did not start: " + log_end());
}

void own_server::take_line(const std::string& line) {
  constexpr std::string_view listening = "listening on ";
  constexpr std::string_view admin = "admin on ";
  constexpr std::string_view path = "/metrics";
  if (line.starts_with(listening)) {
    const auto origin = line.substr(listening.size());
    (origin.starts_with("https:") ? secure_ : plain_) = origin;
  }
  if (line.starts_with(admin))
    admin_ = line.substr(admin.size(), line.size() - admin.size() - path.size());
}

bool own_server::has_ended() {
  int status = 0;
  if (ended_ || pid_ <= 0) return true;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  ended_ = true;
  if (WIFEXITED(status)) code_ = WEXITSTATUS(status);
  return true;
}

std::optional<int> own_server::stop(std::chrono::seconds patience) {
  if (!has_ended()) ::kill(pid_, SIGTERM);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!has_ended() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(10ms);
  return code_;
}

std::string own_server::log_end(std::size_t bytes_max) const {
  std::ifstream file(folder_ / "log");
  std::string all{std::istreambuf_iterator<char>(file), {}};
  if (all.size() > bytes_max) all.erase(0, all.size() - bytes_max);
  return all;
}

}  // namespace bulkhead::faults
