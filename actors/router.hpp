#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/handler.hpp"

namespace bulkhead::actors {

// The parameters of one match, in the order of the pattern. No allocation.
class path_parameters {
 public:
  static constexpr std::size_t max = 8;  // a pattern with more is refused

  std::span<const path_parameter> all() const { return {items_.data(), size_}; }

 private:
  friend class router;
  std::array<path_parameter, max> items_;
  std::size_t size_ = 0;
};

// Which handler answers a request: a tree of path segments. Built before the
// server starts, read by every reactor at once afterwards.
class router {
 public:
  enum class outcome : std::uint8_t {
    found,
    not_found,           // 404: no pattern matches, and there is no fallback
    method_not_allowed,  // 405: the path exists with other methods
    options,             // OPTIONS that no handler was given for
    not_implemented,     // 501: a method that no HTTP server has to know
  };
  struct match {
    outcome result = outcome::not_found;
    const route_target* target = nullptr;  // for found
    std::string_view allow;  // for method_not_allowed and options: an Allow field's value
  };

  // Throws std::invalid_argument: malformed pattern or method, given twice.
  void add(std::span<const std::string_view> methods, std::string_view pattern,
           const route_target& target);
  void add(std::initializer_list<std::string_view> methods, std::string_view pattern,
           const route_target& target) {
    add(std::span(methods.begin(), methods.size()), pattern, target);
  }
  void set_fallback(route_target target);

  match find(const protocol::request_head& head, path_parameters& parameters) const;

 private:
  struct route {
    std::string method;
    route_target target;
  };
  struct node {
    std::map<std::string, std::unique_ptr<node>, std::less<>> fixed;
    std::unique_ptr<node> any;                 // a {parameter} segment
    std::unique_ptr<node> rest;                // a {parameter...} to the end of the path
    std::vector<std::string> parameter_names;  // of the routes that end here
    std::vector<route> routes;
    std::string allow;
  };

  node& place(std::string_view pattern);
  // The deepest fixed path wins, then a {}, then a {...}; `values` are what they took.
  static const node* descend(const node& at, std::string_view rest, path_parameters& values);
  static const route* route_for(const node& at, std::string_view method);

  node root_;
  std::string allow_any_ = "OPTIONS";  // for OPTIONS *
  route_target fallback_;
};

}  // namespace bulkhead::actors
