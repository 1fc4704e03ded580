#include "tests/conformance/flat_json.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bulkhead::conformance {

namespace {

class reader {
 public:
  explicit reader(std::string_view text) : rest_(text) {}

  std::map<std::string, std::string> read() {
    read_object("");
    return std::move(members_);
  }

 private:
  char peek() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool accept(char wanted) {
    if (peek() != wanted) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) {
      throw std::invalid_argument(std::string("JSON: no ") + wanted + " where it should stand");
    }
  }

  void read_object(const std::string& prefix) {
    expect('{');
    if (accept('}')) {
      return;
    }
    do {
      const std::string name = prefix + read_string();
      expect(':');
      if (peek() == '{') {
        read_object(name + ".");
      } else {
        members_[name] = peek() == '"' ? read_string() : read_word();
      }
    } while (accept(','));
    expect('}');
  }

  // Escapes of characters above 255 do not occur in what we read.
  std::string read_string() {
    expect('"');
    std::string text;
    while (!rest_.empty() && rest_.front() != '"') {
      char c = take();
      if (c == '\\') {
        c = take();
        if (c == 'u') {
          c = static_cast<char>(std::stoi(std::string(rest_.substr(0, 4)), nullptr, 16));
          rest_.remove_prefix(4);
        }
      }
      text += c;
    }
    expect('"');
    return text;
  }

  std::string read_word() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(",} \t\r\n"));
    rest_.remove_prefix(word.size());
    return std::string(word);
  }

  char take() {
    if (rest_.empty()) {
      throw std::invalid_argument("JSON: ends inside a string");
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  std::map<std::string, std::string> members_;
};

}  // namespace

std::map<std::string, std::string> read_json(std::string_view text) {
  return reader(text).read();
}

std::string json_string(std::string_view octets) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : octets) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet >= 0x20 && octet < 0x7f && c != '"' && c != '\\') {
      text += c;
    } else {
      text += "\\u00";
      text += digits[octet >> 4];
      text += digits[octet & 15];
    }
  }
  return text + '"';
}

}  // namespace bulkhead::conformance
