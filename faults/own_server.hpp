// A `bulkhead serve` of the tool's own, in a process of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bulkhead::faults {

// What it is started with beyond the tool's own flags.
struct own_server_settings {
  std::vector<std::string> options{};
  std::size_t descriptors_max = 0;  // 0: as it is
  std::string config{};             // a file of settings; empty: none
  std::map<std::string, std::string>
      files{};  // name and content of what it serves; empty: the demo
};

class own_server {
 public:
  // Starts this very program with `serve` on ports of the system's choice, HTTPS and the admin
  // listener among them, and waits until it serves. Its log, its certificate and all else that it
  // needs go into a temporary folder. Throws std::runtime_error with what it said;
  // std::system_error.
  explicit own_server(const own_server_settings& with);
  own_server(const own_server&) = delete;
  own_server& operator=(const own_server&) = delete;
  // Kills what is still there, and removes the folder.
  ~own_server();

  pid_t pid() const { return pid_; }
  const std::string& plain() const { return plain_; }    // "http://127.0.0.1:41873"
  const std::string& secure() const { return secure_; }  // "https://..."
  const std::string& admin() const { return admin_; }    // "http://..."
  std::string certificate_file() const { return folder_ / "localhost.pem"; }

  // SIGTERM, and waits. The exit code, or nothing when it did not end by itself in that time.
  std::optional<int> stop(std::chrono::seconds patience);
  // The last lines of its log.
  std::string log_end(std::size_t bytes_max = 2000) const;

 private:
  explicit own_server(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Puts a file there, below the folder; its path.
  std::string write(const std::filesystem::path& name, const std::string& content) const;
  void read_addresses(int fd);
  void take_line(const std::string& line);
  // True: it has ended, with code_ or by a signal.
  bool has_ended();

  std::filesystem::path folder_;
  pid_t pid_ = 0;
  bool ended_ = false;
  std::optional<int> code_;
  std::string plain_;
  std::string secure_;
  std::string admin_;
};

}  // namespace bulkhead::faults
