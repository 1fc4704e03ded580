#include "sandbox/wasm/translate.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "sandbox/descriptor.hpp"
#include "sandbox/wasm/confined.hpp"
#include "sandbox/wasm/glue.hpp"
#include "sandbox/wasm/inspect.hpp"

namespace bulkhead::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t module_bytes_max = 64u << 20;

struct tool {
  const char* path;
  const char* package;
};
constexpr tool wasm2c{"/usr/bin/wasm2c", "wabt"};
constexpr tool compiler{"/usr/bin/gcc", "gcc"};
constexpr tool header{"/usr/include/wasm-rt.h", "wabt"};

// As C. Frames are probed page by page, so none can step over the guard; roots are computed in
// place; nothing comes from a library, so all code of a guest is the object's own.
const std::vector<std::string> flags{"-std=gnu11",
                                     "-O2",
                                     "-fPIC",
                                     "-shared",
                                     "-nostdlib",
                                     "-w",
                                     "-Werror=implicit-function-declaration",
                                     "-fvisibility=hidden",
                                     "-fno-optimize-sibling-calls",
                                     "-frounding-math",
                                     "-fsignaling-nans",
                                     "-fno-math-errno",
                                     "-fstack-clash-protection",
                                     "-fno-stack-protector",
                                     "-DNDEBUG",
                                     "-DWASM_RT_MEMCHECK_SIGNAL_HANDLER=1",
                                     "-DWASM_RT_USE_STACK_DEPTH_COUNT=0",
                                     "-Wl,-z,defs,-z,now,-z,relro,-z,noexecstack"};

std::string with_errno(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

// What changes when its package does; empty: it is not there.
std::string identity(const tool& one) {
  struct stat what = {};
  if (stat(one.path, &what) != 0) return {};
  return std::string(one.path) + ' ' + std::to_string(what.st_size) + ' ' +
         std::to_string(what.st_mtim.tv_sec) + '\n';
}

std::string sha256_hex(const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  std::size_t bytes = 0;
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, text.data(), text.size(), digest, &bytes) != 1)
    return {};
  std::string hex;
  for (std::size_t i = 0; i < bytes; ++i) {
    constexpr char digits[] = "0123456789abcdef";
    hex += digits[digest[i] >> 4];
    hex += digits[digest[i] & 15];
  }
  return hex;
}

// Up to an octet more than a module may have: files may be as long as they like.
bool read_file(const std::string& path, std::string& to) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    if (errno == 0) errno = EINVAL;
    return false;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  char part[65536];
  while (to.size() <= module_bytes_max && in.read(part, sizeof part).gcount() > 0)
    to.append(part, static_cast<std::size_t>(in.gcount()));
  return !in.bad();
}

bool write_file(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  return out.good();
}

// A power cut leaves the whole of it behind a name, or no such name.
bool append_durably(const std::string& path, const std::string& text) {
  const descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
         fsync(file.get()) == 0;
}

std::string octets_of(const object& one) {
  std::string all;
  char part[65536];
  for (;;) {
    const auto got = pread(one.content.get(), part, sizeof part, static_cast<off_t>(all.size()));
    if (got <= 0) return all;
    all.append(part, static_cast<std::size_t>(got));
  }
}

// Stands behind an object in its file, where no loader looks. Also of what it was made of: another
// one under its name does not pass.
std::string digest_of(const std::string& octets, const std::string& key) {
  return sha256_hex(octets + key);
}

// nullptr: it is not there, or not as it was built.
std::shared_ptr<const object> cached(const std::string& path, const std::string& key) {
  constexpr std::size_t digest_bytes = 64;
  auto found = object::load(path).value;
  if (!found) return nullptr;
  auto octets = octets_of(*found);
  if (octets.size() <= digest_bytes) return nullptr;
  const auto digest = octets.substr(octets.size() - digest_bytes);
  octets.resize(octets.size() - digest_bytes);
  return digest == digest_of(octets, key) ? found : nullptr;
}

// What is in there gets executed. Empty: it is a good place.
std::string wrong_with_cache(const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return with_errno(path);
  struct stat what = {};
  if (stat(path.c_str(), &what) != 0) return with_errno(path);
  if (!S_ISDIR(what.st_mode)) return path + ": not a folder";
  if (what.st_uid != geteuid() && what.st_uid != 0) return path + ": it belongs to somebody else";
  if ((what.st_mode & (S_IWGRP | S_IWOTH)) != 0) return path + ": others may write to it";
  return {};
}

class work_folder {
 public:
  explicit work_folder(const std::string& cache) : path_(cache + "/build-XXXXXX") {
    if (!mkdtemp(path_.data())) path_.clear();
  }
  ~work_folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<std::string> compile_command(const wasm_inspection& found) {
  std::vector<std::string> all{compiler.path};
  all.insert(all.end(), flags.begin(), flags.end());
  std::string contexts;
  for (unsigned i = 0; i < found.import_modules; ++i) contexts += ",0";
  all.push_back("-DBULKHEAD_CONTEXTS=" + contexts);
  all.push_back(std::string("-DBULKHEAD_INITIALIZE=") + (found.has_initialize ? "1" : "0"));
  all.push_back(std::string("-DBULKHEAD_CPU_LEFT=") + (found.uses_cpu_left ? "1" : "0"));
  for (const auto* last : {"glue.c", "-o", "object.so", "-lgcc"}) all.emplace_back(last);
  return all;
}

// Empty: object.so is there.
std::string make_object(const std::string& folder, const std::string& module,
                        const wasm_inspection& found, std::chrono::nanoseconds time_max) {
  if (!write_file(folder + "/module.wasm", module) ||
      !write_file(folder + "/glue.c", glue_source()) ||
      !write_file(folder + "/bulkhead_module.h", glue_header()))
    return with_errno(folder);
  const confinement limits{folder, time_max};
  const auto translated =
      run_confined({wasm2c.path, "-n", "module", "-o", "module.c", "module.wasm"}, limits);
  if (!translated.succeeded) return "wasm2c refuses it: " + translated.output;
  const auto compiled = run_confined(compile_command(found), limits);
  if (!compiled.succeeded) return "the C compiler refuses it: " + compiled.output;
  return {};
}

}  // namespace

translation translate(const translation_order& order) {
  const auto failed = [&](const std::string& why) {
    return translation{{}, {}, order.file + ": " + why};
  };
  std::string module;
  errno = 0;
  if (!read_file(order.file, module)) return failed(std::strerror(errno));
  if (module.size() > module_bytes_max) return failed("larger than 64 MiB");
  const auto found = inspect(module);
  if (!found.error.empty()) return failed(found.error);

  std::string key = module;
  for (const auto& one : {wasm2c, compiler, header}) {
    const auto tool_identity = identity(one);
    if (tool_identity.empty())
      return failed(std::string(one.path) + " is missing: on Debian, apt-get install " +
                    one.package);
    key += tool_identity;
  }
  for (const auto& one : flags) key += one + '\n';
  key += glue_source();
  key += glue_header();
  const auto path = order.cache + "/" + sha256_hex(key) + ".so";

  if (const auto wrong = wrong_with_cache(order.cache); !wrong.empty()) return {{}, {}, wrong};
  if (auto code = cached(path, key)) return {path, std::move(code), {}};
  const work_folder folder(fs::absolute(order.cache).string());
  if (folder.path().empty()) return failed(with_errno(order.cache));
  if (auto why = make_object(folder.path(), module, found, order.time_max); !why.empty())
    return failed(why);
  const auto made = folder.path() + "/object.so";
  auto code = object::load(made);
  if (!code.value) return failed(code.error);
  if (!append_durably(made, digest_of(octets_of(*code.value), key)) ||
      rename(made.c_str(), path.c_str()) != 0)
    return failed(with_errno(path));
  return {path, std::move(code.value), {}};
}

}  // namespace bulkhead::sandbox
