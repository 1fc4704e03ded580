#include "actors/describe.hpp"

namespace bulkhead::actors {

std::string describe(const std::exception_ptr& thrown) {
  std::string text;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    text = e.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace bulkhead::actors
