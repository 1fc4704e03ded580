#pragma once

namespace bulkhead::cli {

// Sends the error log, which is spdlog's default logger, to standard error, in a way that never
// stops who logs: while nobody reads there, and beyond 100 lines a second, lines are left out, and
// the next line that goes out says how many. A line is cut at 4,000 bytes.
void log_to_stderr();

}  // namespace bulkhead::cli
