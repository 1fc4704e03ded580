// man(7): bulkhead.1.
#include <CLI/CLI.hpp>

#include "actors/cli/manual/manual.hpp"

namespace bulkhead::cli {
namespace {

// Hyphens would become typographic ones, which nobody can copy; a line that begins with a dot or
// an apostrophe would be a request.
std::string roff(std::string_view text) {
  std::string result;
  if (text.starts_with('.') || text.starts_with('\'')) result = "\\&";
  for (const char c : text) {
    if (c == '-')
      result += "\\-";
    else if (c == '\\')
      result += "\\e";
    else
      result += c;
  }
  return result;
}

std::string option(const CLI::Option& one) {
  std::string text = ".TP\n\\fB" + roff(one.get_name(false, true)) + "\\fR";
  if (one.get_items_expected_max() > 0 && one.get_type_size() > 0)
    text += " \\fI" + roff(one.get_type_name()) + "\\fR";
  text += "\n" + roff(one.get_description());
  if (!one.get_default_str().empty()) text += ". Default: " + roff(one.get_default_str());
  return text + "\n";
}

std::string command(const CLI::App& one) {
  std::string synopsis = ".SS \"bulkhead " + one.get_name();
  std::string body = roff(one.get_description()) + ".\n";
  for (const auto* each : options_of(one)) {
    if (each->get_positional()) synopsis += " " + each->get_name(true);
    body += option(*each);
  }
  return synopsis + "\"\n" + body;
}

constexpr std::string_view ending = R"(.SH EXIT STATUS
.TP
0
What was asked for is done: the server has drained, the settings are good.
.TP
1
Something failed: an address can not be bound, a worker does not start, handlers did not return.
.TP
2
The command line or the settings are wrong; a line for each fault says where and why.
.SH SIGNALS
.TP
SIGTERM, SIGINT
Drain: listeners close, requests that have begun are answered. The second one stops at once.
.TP
SIGHUP
Read the settings and the certificates again, and open the access log anew. With a fault in them
nothing changes.
.SH FILES
.TP
/etc/bulkhead/bulkhead.toml
The settings of the Debian package's service.
.SH SEE ALSO
OPERATIONS.md beside the package's other documents: every setting, reason, metric and log field.
)";

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string text = ".TH BULKHEAD 1 \"\" \"" + roff("bulkhead " BULKHEAD_VERSION) + "\"\n";
  text += ".SH NAME\nbulkhead \\- HTTP/1.1 and HTTPS server whose handlers may fail\n";
  text += ".SH SYNOPSIS\n\\fBbulkhead\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
  text += ".SH DESCRIPTION\n" + roff(app.get_description()) + ".\n";
  text += ".SH OPTIONS\n";
  for (const auto* each : options_of(app)) text += option(*each);
  text += ".SH COMMANDS\n";
  for (const auto* each : commands_of(app)) text += command(*each);
  return text.append(ending);
}

}  // namespace bulkhead::cli
