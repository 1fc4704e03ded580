#include "sandbox/zygote/crash.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace bulkhead::sandbox::zygote {
namespace {

constexpr int signals_told[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

struct {
  shared_page* page = nullptr;
  std::string object;
  std::span<const char> file;  // its octets, to find symbols in; may be empty
} crashing;

// In a signal's handler there is no memory to be had.
template <std::size_t Size>
class short_text {
 public:
  short_text& add(std::string_view text) {
    text = text.substr(0, Size - bytes_);
    std::copy(text.begin(), text.end(), octets_ + bytes_);
    bytes_ += text.size();
    return *this;
  }
  short_text& add_hex(std::uint64_t value) {
    char digits[16];
    std::size_t at = sizeof digits;
    do {
      digits[--at] = "0123456789abcdef"[value & 15];
      value >>= 4;
    } while (value != 0);
    return add("0x").add({digits + at, sizeof digits - at});
  }
  void store(shared_text<Size>& to) const {
    std::memcpy(to.octets, octets_, bytes_);
    to.bytes.store(static_cast<std::uint32_t>(bytes_), std::memory_order_relaxed);
  }

 private:
  char octets_[Size];
  std::size_t bytes_ = 0;
};

// Something that lies anywhere in the guest's file; false: it does not.
template <class T>
bool read_at(std::uint64_t at, T& to) {
  if (at > crashing.file.size() || crashing.file.size() - at < sizeof to) return false;
  std::memcpy(&to, crashing.file.data() + at, sizeof to);
  return true;
}

struct function {
  std::string_view name;
  std::uint64_t begin = 0;
};

std::string_view name_at(std::uint64_t at) {
  if (at >= crashing.file.size()) return {};
  const auto* begin = crashing.file.data() + at;
  return {begin, strnlen(begin, crashing.file.size() - at)};
}

// In one table of symbols; addresses are the file's own.
function function_in(const Elf64_Shdr& table, const Elf64_Shdr& names, std::uint64_t address) {
  Elf64_Sym one = {};
  const auto end = std::min<std::uint64_t>(table.sh_size, crashing.file.size());
  for (std::uint64_t at = 0; at + sizeof one <= end; at += sizeof one) {
    if (!read_at(table.sh_offset + at, one)) break;
    if (ELF64_ST_TYPE(one.st_info) == STT_FUNC && one.st_value <= address &&
        address - one.st_value < one.st_size)
      return {name_at(names.sh_offset + one.st_name), one.st_value};
  }
  return {};
}

// What is hidden or local is only in .symtab, which dladdr() does not know.
function function_at(std::uint64_t address) {
  Elf64_Ehdr head = {};
  if (!read_at(0, head) || head.e_ident[EI_CLASS] != ELFCLASS64) return {};
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr table = {}, names = {};
    if (!read_at(head.e_shoff + i * sizeof table, table)) break;
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (!read_at(head.e_shoff + table.sh_link * sizeof names, names)) continue;
    const auto found = function_in(table, names, address);
    if (!found.name.empty()) return found;
  }
  return {};
}

void tell_symbol(const function& found, std::uint64_t address) {
  if (found.name.empty()) return;
  short_text<sizeof crashing.page->symbol.octets> text;
  constexpr std::size_t name_bytes_max = sizeof crashing.page->symbol.octets - 20;
  text.add(found.name.substr(0, name_bytes_max)).add("+").add_hex(address - found.begin);
  text.store(crashing.page->symbol);
}

void tell_place(std::uint64_t pc) {
  short_text<sizeof crashing.page->program_counter.octets> text;
  Dl_info where = {};
  link_map* map = nullptr;
  if (!dladdr1(reinterpret_cast<void*>(pc), &where, reinterpret_cast<void**>(&map),
               RTLD_DL_LINKMAP) ||
      !map || !where.dli_fname)
    return text.add_hex(pc).store(crashing.page->program_counter);
  const auto address = pc - map->l_addr;
  const std::string_view file = where.dli_fname;
  const bool is_own = file == crashing.object;
  if (!is_own) text.add(file.substr(file.rfind('/') + 1).substr(0, 40));
  text.add("+").add_hex(address).store(crashing.page->program_counter);
  if (is_own)
    tell_symbol(function_at(address), address);
  else if (where.dli_sname)
    tell_symbol({where.dli_sname, reinterpret_cast<std::uint64_t>(where.dli_saddr) - map->l_addr},
                address);
}

void tell(int number, const siginfo_t& info, const ucontext_t& context) {
  auto& page = *crashing.page;
  if (info.si_code > 0 && (number == SIGSEGV || number == SIGBUS)) {
    short_text<sizeof page.fault_address.octets> text;
    text.add_hex(reinterpret_cast<std::uint64_t>(info.si_addr)).store(page.fault_address);
  }
#if defined(__x86_64__)
  tell_place(static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]));
#elif defined(__aarch64__)
  tell_place(context.uc_mcontext.pc);
#endif
  page.crash_signal.store(static_cast<std::uint32_t>(number), std::memory_order_release);
}

void on_crash(int number, siginfo_t* info, void* context) {
  tell(number, *info, *static_cast<const ucontext_t*>(context));
  if (info->si_code <= 0) _exit(128 + number);
  // A fault comes again with its instruction, and then by default.
}

std::span<const char> mapped(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat what = {};
  void* at = MAP_FAILED;
  std::size_t bytes = 0;
  if (fstat(file, &what) == 0 && what.st_size > 0 &&
      static_cast<std::size_t>(what.st_size) <= symbols_bytes_max) {
    bytes = static_cast<std::size_t>(what.st_size);
    at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (at == MAP_FAILED) return {};
  return {static_cast<const char*>(at), bytes};
}

}  // namespace

void tell_crashes(shared_page& page, const std::string& object) {
  crashing.page = &page;
  crashing.object = object;
  crashing.file = mapped(object);
  struct sigaction how = {};
  how.sa_sigaction = on_crash;
  how.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  // A fault of the handler's own then ends the process.
  for (const int number : signals_told) sigaddset(&how.sa_mask, number);
  for (const int number : signals_told) sigaction(number, &how, nullptr);
}

}  // namespace bulkhead::sandbox::zygote
