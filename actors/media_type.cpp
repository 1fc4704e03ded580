#include "actors/media_type.hpp"

#include "protocol/tokens.hpp"

namespace bulkhead::actors {

namespace {

struct entry {
  std::string_view extension;
  std::string_view type;
};

constexpr entry types[]{
    {"html", "text/html; charset=utf-8"},
    {"htm", "text/html; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"txt", "text/plain; charset=utf-8"},
    {"md", "text/markdown; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"xml", "application/xml"},
    {"pdf", "application/pdf"},
    {"wasm", "application/wasm"},
    {"zip", "application/zip"},
    {"gz", "application/gzip"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"webp", "image/webp"},
    {"avif", "image/avif"},
    {"ico", "image/vnd.microsoft.icon"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"ttf", "font/ttf"},
    {"mp3", "audio/mpeg"},
    {"ogg", "audio/ogg"},
    {"mp4", "video/mp4"},
    {"webm", "video/webm"},
};

}  // namespace

std::string_view media_type_of(std::string_view file_name) {
  const auto name = file_name.substr(file_name.rfind('/') + 1);
  const auto dot = name.rfind('.');
  if (dot != std::string_view::npos)
    for (const auto& [extension, type] : types)
      if (protocol::same_word(name.substr(dot + 1), extension)) return type;
  return "application/octet-stream";
}

}  // namespace bulkhead::actors
