// What benchmarks and soaks ask for, answered as the handlers of `bulkhead serve` answer it.
#pragma once

#include <string_view>

#include "protocol/request_head.hpp"
#include "protocol/response.hpp"

namespace bulkhead::worker {

// /hello /small: a greeting; /: what it is; /big?n=16384: n bytes; POST /echo: the content back;
// /sleep?ms=100 and /spin?ms=100 keep the thread, /throw and /crash end the process. HEAD as GET;
// else 404, 405 or 501.
protocol::response answer(const protocol::request_head& head, std::string_view content);

}  // namespace bulkhead::worker
