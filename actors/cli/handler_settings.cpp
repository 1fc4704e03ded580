#include "actors/cli/handler_settings.hpp"

#include <array>

#include "actors/cli/setting_kinds.hpp"

namespace bulkhead::cli {
namespace {

std::optional<std::string> pattern_fault(std::string_view text) {
  if (text.starts_with('/')) return control_fault(text);
  return "does not begin with /";
}

std::optional<std::string> run_fault(std::string_view text) {
  if (text == "process" || text == "wasm" || text == "inline") return std::nullopt;
  return "is neither process nor wasm nor inline";
}

constexpr number_range bytes{1024, gib};
constexpr number_range wait_ms{0, 24ull * 3600 * 1000};

// Ranges are those of validate(), and never wider.
const std::array handler_rows{
    setting{"handler", "path", "", "Pattern of the paths that it answers: /hello, /users/{id}",
            text_setting{[](config& in) -> std::string& { return in.handlers.back().path; },
                         "a path", pattern_fault}},
    setting{"handler", "methods", "", "Methods that it answers; HEAD goes with GET",
            texts_setting{[](const config& in) { return in.handlers.back().methods; },
                          [](config& in, const std::vector<std::string>& texts) {
                            in.handlers.back().methods = texts;
                          },
                          "an array of methods", control_fault}},
    setting{"handler", "run", "",
            "process, a sandboxed one; wasm, in the server; inline, there without a sandbox",
            text_setting{[](config& in) -> std::string& { return in.handlers.back().run; },
                         "process, wasm or inline", run_fault}},
    setting{"handler", "file", "", "The shared object, or the WebAssembly module",
            text_setting{[](config& in) -> std::string& { return in.handlers.back().file; },
                         "a file name", control_fault}},
    setting{"handler", "concurrency", "", "Requests at once, divided among the threads",
            number(
                {1, 256}, [](auto& in) -> auto& { return in.handlers.back().concurrency; })},
    setting{"handler", "spares", "", "Processes that are ready to take the place of one that died",
            number(
                {0, 256}, [](auto& in) -> auto& { return in.handlers.back().spares; })},
    setting{"handler", "queue", "", "Requests that wait, for each thread",
            number(
                {0, 100'000}, [](auto& in) -> auto& { return in.handlers.back().queue; })},
    setting{"handler", "queue_wait_ms", "", "How long others wait for a place there (503)",
            number(
                wait_ms, [](auto& in) -> auto& { return in.handlers.back().queue_wait; })},
    setting{"handler", "wall_ms", "", "Wall time of a request, waiting included (504)",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.handlers.back().wall; })},
    setting{"handler", "cpu_ms", "", "CPU time of a request (504)",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.handlers.back().cpu; })},
    setting{
        "handler", "memory_bytes", "", "Memory of a process beyond an empty one's (503)",
        number(
            {mib, 1024 * gib}, [](auto& in) -> auto& { return in.handlers.back().memory_bytes; })},
    setting{"handler", "request_bytes", "", "Largest request, as a message (413)",
            number(
                bytes, [](auto& in) -> auto& { return in.handlers.back().request_bytes; })},
    setting{"handler", "response_bytes", "", "Largest response, as a message (502)",
            number(
                bytes, [](auto& in) -> auto& { return in.handlers.back().response_bytes; })},
    setting{"handler", "recycle_requests", "",
            "Requests after which a process is replaced; 0: never",
            number(
                {0, UINT64_MAX >> 1},
                [](auto& in) -> auto& { return in.handlers.back().recycle_requests; })},
    setting{
        "handler", "breaker_faults", "",
        "Faults that open its circuit, if they are half of its requests (503); 0: never",
        number(
            {0, 1'000'000}, [](auto& in) -> auto& { return in.handlers.back().breaker_faults; })},
    setting{"handler", "breaker_window_ms", "", "In how long they must come",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.handlers.back().breaker_window; })},
    setting{"handler", "breaker_open_ms", "", "How long the circuit stays open before a probe",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.handlers.back().breaker_open; })},
};

}  // namespace

std::span<const setting> handler_settings() {
  return handler_rows;
}

}  // namespace bulkhead::cli
