#include "sandbox/wasm/module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "sandbox/wasm/threads.hpp"

namespace bulkhead::sandbox {
namespace {

using types = std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t>;
thread_local types* types_being_registered = nullptr;

std::string hex(std::uintptr_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(value));
  return text;
}

// A copy of something that lies anywhere in a file; false: it does not.
template <class T>
bool copy_from(const std::string& file, std::size_t at, T& to) {
  if (at > file.size() || file.size() - at < sizeof to) return false;
  std::memcpy(&to, file.data() + at, sizeof to);
  return true;
}

}  // namespace

std::uint32_t register_wasm_type(std::span<const std::uint32_t> kinds, std::uint32_t params) {
  auto& all = *types_being_registered;
  const auto next = static_cast<std::uint32_t>(all.size() + 1);
  return all.try_emplace({params, {kinds.begin(), kinds.end()}}, next).first->second;
}

wasm_module::loaded wasm_module::load(std::shared_ptr<const object> file,
                                      const wasm_settings& settings) {
  std::shared_ptr<wasm_module> made(new wasm_module);
  made->response_bytes_max_ = settings.response_bytes_max;
  made->file_ = std::move(file);
  auto error = made->open();
  if (error.empty()) {
    made->read_symbols();
    error = made->make_image(settings);
  }
  if (!error.empty()) return {nullptr, error};
  return {std::move(made), {}};
}

wasm_module::~wasm_module() {
  if (handle_) dlclose(handle_);
}

std::string wasm_module::path() const {
  return "/proc/self/fd/" + std::to_string(file_->content.get());
}

std::string wasm_module::open() {
  handle_ = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) return dlerror();
  code_ = static_cast<const bulkhead_wasm_module*>(dlsym(handle_, "bulkhead_wasm_module"));
  if (!code_) return "no translated module";
  find_text();
  if (text_begin_ == text_end_) return "a translated module without code";
  *code_->host = &bulkhead_wasm_gates;
  types all;
  types_being_registered = &all;
  code_->init();
  types_being_registered = nullptr;
  return {};
}

void wasm_module::find_text() {
  const link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return;
  base_ = map->l_addr;
  dl_iterate_phdr(
      [](dl_phdr_info* one, std::size_t, void* context) {
        auto& to = *static_cast<wasm_module*>(context);
        if (one->dlpi_addr != to.base_) return 0;
        for (int i = 0; i < one->dlpi_phnum; ++i) {
          const auto& part = one->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
          to.text_begin_ = to.base_ + part.p_vaddr;
          to.text_end_ = to.text_begin_ + part.p_memsz;
        }
        return 1;
      },
      this);
}

// All functions but one are local: dladdr() does not know them.
void wasm_module::read_symbols() {
  std::ifstream in(path(), std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(in), {});
  Elf64_Ehdr head = {};
  if (!copy_from(file, 0, head)) return;
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section = {}, names = {};
    if (!copy_from(file, head.e_shoff + i * sizeof section, section)) return;
    if (section.sh_type != SHT_SYMTAB) continue;
    if (!copy_from(file, head.e_shoff + section.sh_link * sizeof names, names)) return;
    Elf64_Sym one = {};
    for (std::size_t at = 0; at + sizeof one <= section.sh_size; at += sizeof one) {
      if (!copy_from(file, section.sh_offset + at, one)) return;
      const auto name = names.sh_offset + one.st_name;
      if (ELF64_ST_TYPE(one.st_info) != STT_FUNC || name >= file.size()) continue;
      const auto begin = base_ + one.st_value;
      symbols_.push_back({begin, begin + one.st_size, file.c_str() + name});
    }
  }
  std::sort(symbols_.begin(), symbols_.end(),
            [](const symbol& a, const symbol& b) { return a.begin < b.begin; });
}

std::string wasm_module::name_of(std::uintptr_t pc) const {
  const auto next = std::upper_bound(symbols_.begin(), symbols_.end(), pc,
                                     [](auto at, const symbol& one) { return at < one.begin; });
  if (next == symbols_.begin() || pc >= std::prev(next)->end) return "module+" + hex(pc - base_);
  const auto& found = *std::prev(next);
  const auto name = found.name.starts_with("w2c_") ? found.name.substr(4) : found.name;
  return name.substr(0, 200) + "+" + hex(pc - found.begin);
}

fault_site wasm_module::site_of(landing how, const wasm_frame& frame) const {
  if (frame.pc < text_begin_ || frame.pc >= text_end_) return {};
  fault_site site;
  site.program_counter = "module+" + hex(frame.pc - base_);
  site.symbol = name_of(frame.pc);
  if (how == landing::out_of_bounds) site.address = hex(frame.address - frame.memory_begin);
  return site;
}

std::string wasm_module::describe(landing how, const wasm_frame& frame) const {
  const auto where = " in " + name_of(frame.pc);
  switch (how) {
    case landing::trap:
      return wasm_trap_name(frame.code) + (frame.pc != 0 ? where : " in an import");
    case landing::out_of_bounds:
      return "access out of bounds" + where + ", address " +
             hex(frame.address - frame.memory_begin);
    case landing::exhaustion:
      return "stack exhausted" + where;
    case landing::deadline:
      return frame.pc != 0 ? "cut off" + where : "cut off in an import";
    case landing::left:
      return "exit with code " + std::to_string(frame.code);
    case landing::refused:
      return "refused";
    case landing::none:
      break;
  }
  return {};
}

std::string wasm_module::make_image(const wasm_settings& settings) {
  const auto first = wasm_instance::make(*this, settings);
  if (!first) return "no address space for an instance";
  wasm_frame frame;
  auto how = landing::none;
  {
    const wasm_watch watch({std::chrono::steady_clock::now() + settings.load_max, settings.load_max,
                            code_->uses_cpu_left != 0});
    const wasm_top top(frame);
    how = first->instantiate(frame);
  }
  if (how == landing::refused) return first->refusal();
  if (how != landing::none) return "its constructors: " + describe(how, frame);
  image_ = first->image();
  return {};
}

}  // namespace bulkhead::sandbox
