#include "actors/describe.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstring>

namespace bulkhead::actors {

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet > 0x7f)
      line += fmt::format("\\x{:02X}", octet);
    else
      line += octet < 0x20 || octet == 0x7f ? ' ' : c;
  }
  return line;
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

std::string describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return one_line(e.what());
  } catch (...) {
    return "something that is not a std::exception";
  }
}

}  // namespace bulkhead::actors
