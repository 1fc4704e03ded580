#include "actors/router.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "protocol/tokens.hpp"

namespace bulkhead::actors {

namespace {

[[noreturn]] void refuse(std::string_view pattern, std::string_view why) {
  throw std::invalid_argument("route '" + std::string(pattern) + "': " + std::string(why));
}

// Cuts the first segment off a path that begins with '/'.
std::string_view next_segment(std::string_view& rest) {
  rest.remove_prefix(1);
  const auto segment = rest.substr(0, rest.find('/'));
  rest.remove_prefix(segment.size());
  return segment;
}

bool is_parameter(std::string_view segment) {
  return segment.size() >= 2 && segment.front() == '{' && segment.back() == '}';
}

// "{name...}" instead of "{name}".
bool takes_rest(std::string_view parameter) {
  return parameter.ends_with("...}");
}

void append_method(std::string& list, std::string_view method) {
  if (!list.empty()) list += ", ";
  list += method;
}

}  // namespace

void router::add(std::span<const std::string_view> methods, std::string_view pattern,
                 const route_target& target) {
  if (!target.handle && !target.receive && !target.guest) refuse(pattern, "the handler is empty");
  if (methods.empty()) refuse(pattern, "no method given");
  auto& end = place(pattern);
  for (const auto method : methods) {
    if (!protocol::is_token(method)) refuse(pattern, "a method must be a token");
    if (std::ranges::any_of(end.routes, [&](const route& r) { return r.method == method; }))
      refuse(pattern, "given twice for " + std::string(method));
    end.routes.push_back({std::string(method), target});
    end.routes.back().target.pattern = pattern;
    append_method(end.allow, method);
    if (method == "GET") append_method(end.allow, "HEAD");
    if (allow_any_.find(method) == std::string::npos) append_method(allow_any_, method);
  }
}

void router::set_fallback(route_target target) {
  fallback_ = std::move(target);
  fallback_.pattern = "(fallback)";
}

router::node& router::place(std::string_view pattern) {
  if (pattern.empty() || pattern.front() != '/') refuse(pattern, "must begin with '/'");
  auto* at = &root_;
  std::vector<std::string> names;
  for (auto rest = pattern; !rest.empty();) {
    const auto segment = next_segment(rest);
    if (is_parameter(segment)) {
      const bool to_the_end = takes_rest(segment);
      const std::string name(segment.substr(1, segment.size() - (to_the_end ? 5 : 2)));
      if (to_the_end && !rest.empty()) refuse(pattern, "a parameter with '...' must be the last");
      if (name.empty()) refuse(pattern, "a parameter needs a name");
      if (std::ranges::find(names, name) != names.end())
        refuse(pattern, "parameter '" + name + "' stands twice");
      if (names.size() == path_parameters::max) refuse(pattern, "more than 8 parameters");
      names.push_back(name);
      auto& next = to_the_end ? at->rest : at->any;
      if (!next) next = std::make_unique<node>();
      at = next.get();
      continue;
    }
    if (segment.find_first_of("{}?# ") != std::string_view::npos)
      refuse(pattern, "segment '" + std::string(segment) +
                          "' may be text or one {parameter}, without '?', '#' or space");
    auto& next = at->fixed[std::string(segment)];
    if (!next) next = std::make_unique<node>();
    at = next.get();
  }
  if (!at->routes.empty() && at->parameter_names != names)
    refuse(pattern, "the same path has other parameter names already");
  at->parameter_names = std::move(names);
  return *at;
}

const router::node* router::descend(const node& at, std::string_view rest,
                                    path_parameters& values) {
  if (rest.empty()) return at.routes.empty() ? nullptr : &at;
  const auto whole = rest.substr(1);
  const auto segment = next_segment(rest);
  if (const auto fixed = at.fixed.find(segment); fixed != at.fixed.end())
    if (const auto* end = descend(*fixed->second, rest, values)) return end;
  if (at.any && !segment.empty()) {
    values.items_[values.size_++] = {{}, segment};
    if (const auto* end = descend(*at.any, rest, values)) return end;
    --values.size_;
  }
  if (!at.rest || at.rest->routes.empty()) return nullptr;
  values.items_[values.size_++] = {{}, whole, true};
  return at.rest.get();
}

const router::route* router::route_for(const node& at, std::string_view method) {
  for (const auto& r : at.routes)
    if (r.method == method) return &r;
  return method == "HEAD" ? route_for(at, "GET") : nullptr;
}

router::match router::find(const protocol::request_head& head, path_parameters& parameters) const {
  const auto method = head.method();
  const auto known = head.known_method();
  if (head.form() == protocol::target_form::asterisk)
    return {outcome::options, nullptr, allow_any_};
  const auto* end = head.path().empty() ? nullptr : descend(root_, head.path(), parameters);
  if (end) {
    for (std::size_t i = 0; i < parameters.size_; ++i)
      parameters.items_[i].name = end->parameter_names[i];
    if (const auto* r = route_for(*end, method)) return {outcome::found, &r->target, {}};
  }
  if (known == protocol::method::unknown || known == protocol::method::connect)
    return {outcome::not_implemented, nullptr, {}};
  if (end && known == protocol::method::options) return {outcome::options, nullptr, end->allow};
  if (end) return {outcome::method_not_allowed, nullptr, end->allow};
  if (fallback_.handle || fallback_.receive) return {outcome::found, &fallback_, {}};
  return {outcome::not_found, nullptr, {}};
}

}  // namespace bulkhead::actors
