// What stands between a guest and the system. Each layer alone is meant to hold.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace bulkhead::sandbox {

enum class layer : std::uint8_t {
  user_namespace,     // an ordinary user's way to the namespaces below; not needed by root
  own_user,           // a user and group id that nothing else runs with
  own_root,           // a read-only root with the guest and libraries in it, nothing else
  network_namespace,  // without even a loopback interface that is up
  ipc_namespace,      // System V IPC, POSIX message queues
  uts_namespace,      // host name
  pid_namespace,      // of each sandbox
  landlock,           // files by path, network, signals and abstract sockets as far as known
  seccomp,            // which system calls, with which arguments
};
inline constexpr unsigned layers_count = 9;
std::string_view to_string(layer one);
// False: there is no such layer.
bool parse(std::string_view name, layer& one);

// A set of layers; a value.
class layers {
 public:
  constexpr layers() = default;
  constexpr layers(std::initializer_list<layer> all) {
    for (const auto one : all) add(one);
  }
  static constexpr layers of_bits(std::uint32_t bits) {
    layers some;
    some.bits_ = bits & ((1u << layers_count) - 1);
    return some;
  }
  static constexpr layers all() { return of_bits(~0u); }

  constexpr void add(layer one) { bits_ |= 1u << static_cast<unsigned>(one); }
  constexpr bool has(layer one) const { return (bits_ >> static_cast<unsigned>(one) & 1u) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr layers without(layers others) const { return of_bits(bits_ & ~others.bits_); }
  constexpr std::uint32_t bits() const { return bits_; }
  constexpr bool operator==(const layers&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

// "seccomp, landlock", or "none".
std::string to_string(layers some);

}  // namespace bulkhead::sandbox
