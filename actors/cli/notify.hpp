#pragma once

#include <string_view>

namespace bulkhead::cli {

// Tells the service manager, when NOTIFY_SOCKET names one (sd_notify(3)); its protocol is one
// datagram. Such as "READY=1" or "STOPPING=1". A manager that is not there changes nothing: a line
// in the log says so, once.
void notify(std::string_view state);

}  // namespace bulkhead::cli
