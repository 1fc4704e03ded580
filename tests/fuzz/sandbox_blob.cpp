// What a hostile guest may leave as its answer: read without a fault, and what is taken is
// canonical, so that writing it again gives the same octets.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sandbox/blob.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bulkhead::sandbox;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  blob_view view;
  if (blob_view::read(bytes, view) != blob_error::none) return 0;
  std::string again;
  blob_writer writer(again, view.code());
  std::uint32_t fields = 0;
  for (const auto& field : view) {
    writer.field(field.name, field.value);
    ++fields;
  }
  if (fields != view.field_count() || !writer.finish(view.content()) || again != bytes)
    std::abort();
  return 0;
}
