#include "sandbox/wasm/glue.hpp"

asm(R"(
.pushsection .rodata
.global bulkhead_glue_source
.global bulkhead_glue_header
.global bulkhead_glue_end
.hidden bulkhead_glue_source
.hidden bulkhead_glue_header
.hidden bulkhead_glue_end
bulkhead_glue_source:
.incbin ")" BULKHEAD_GLUE_FOLDER R"(/glue.c"
bulkhead_glue_header:
.incbin ")" BULKHEAD_GLUE_FOLDER R"(/module.h"
bulkhead_glue_end:
.popsection
)");

extern "C" const char bulkhead_glue_source[];
extern "C" const char bulkhead_glue_header[];
extern "C" const char bulkhead_glue_end[];

namespace bulkhead::sandbox {

std::string_view glue_source() {
  return {bulkhead_glue_source, bulkhead_glue_header};
}

std::string_view glue_header() {
  return {bulkhead_glue_header, bulkhead_glue_end};
}

}  // namespace bulkhead::sandbox
