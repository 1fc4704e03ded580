#include "faults/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace bulkhead::faults {
namespace {

constexpr double margin_left = 58;
constexpr double margin_right = 24;
constexpr double margin_top = 10;
constexpr double margin_bottom = 40;

std::string short_number(double number) {
  std::array<char, 40> room{};
  std::snprintf(room.data(), room.size(), "%.6g", number);
  return room.data();
}

std::string coordinate(double number) {
  std::array<char, 40> room{};
  std::snprintf(room.data(), room.size(), "%.1f", number);
  return room.data();
}

// Powers of ten; or some five round numbers.
void add_marks(axis& to) {
  if (!to.marks.empty()) return;
  if (to.is_log) {
    for (double mark = std::pow(10, std::floor(std::log10(to.lowest))); mark <= to.highest * 1.001;
         mark *= 10)
      if (mark >= to.lowest * 0.999) to.marks.emplace_back(mark, short_number(mark));
    return;
  }
  const double raw = (to.highest - to.lowest) / 5;
  const double power = std::pow(10, std::floor(std::log10(std::max(raw, 1e-9))));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  for (double mark = std::ceil(to.lowest / step) * step; mark <= to.highest * 1.0001; mark += step)
    to.marks.emplace_back(mark, short_number(mark));
}

double share_of(const axis& on, double value) {
  if (!on.is_log) return (value - on.lowest) / (on.highest - on.lowest);
  return std::log(std::max(value, on.lowest) / on.lowest) / std::log(on.highest / on.lowest);
}

}  // namespace

plot::plot(axis x, axis y, double width, double height)
    : x_(std::move(x)), y_(std::move(y)), width_(width), height_(height) {
  for (auto* each : {&x_, &y_}) {
    if (each->highest <= each->lowest) each->highest = each->lowest + 1;
    add_marks(*each);
  }
  add_axes();
}

double plot::across(double x) const {
  return margin_left + share_of(x_, x) * (width_ - margin_left - margin_right);
}
double plot::down(double y) const {
  return height_ - margin_bottom - share_of(y_, y) * (height_ - margin_top - margin_bottom);
}

void plot::add_axes() {
  const auto text = [this](double x, double y, const char* anchor, const std::string& says) {
    axes_ += "<text x='" + coordinate(x) + "' y='" + coordinate(y) + "' text-anchor='" + anchor +
             "'>" + escaped(says) + "</text>";
  };
  const auto rule = [this](double x1, double y1, double x2, double y2) {
    axes_ += "<path class='rule' d='M" + coordinate(x1) + " " + coordinate(y1) + "L" +
             coordinate(x2) + " " + coordinate(y2) + "'/>";
  };
  for (const auto& [at, says] : y_.marks) {
    rule(margin_left, down(at), width_ - margin_right, down(at));
    text(margin_left - 6, down(at) + 4, "end", says);
  }
  for (const auto& [at, says] : x_.marks) {
    rule(across(at), height_ - margin_bottom, across(at), height_ - margin_bottom + 4);
    text(across(at), height_ - margin_bottom + 17, "middle", says);
  }
  text((margin_left + width_ - margin_right) / 2, height_ - 5, "middle", x_.title);
  axes_ += "<text transform='translate(13 " +
           coordinate((margin_top + height_ - margin_bottom) / 2) +
           ") rotate(-90)' text-anchor='middle'>" + escaped(y_.title) + "</text>";
}

void plot::band(double from, double to, const std::string& style) {
  shapes_ += "<rect class='" + style + "' x='" + coordinate(across(from)) + "' y='" +
             coordinate(margin_top) + "' width='" + coordinate(across(to) - across(from)) +
             "' height='" + coordinate(height_ - margin_top - margin_bottom) + "'/>";
}

void plot::line(const std::vector<std::pair<double, double>>& points, const std::string& style) {
  if (points.empty()) return;
  shapes_ += "<path class='line " + style + "' d='";
  char how = 'M';
  for (const auto& [x, y] : points) {
    shapes_ += how + coordinate(across(x)) + " " + coordinate(down(y));
    how = 'L';
  }
  shapes_ += "'/>";
}

void plot::dots(const std::vector<std::pair<double, double>>& points, const std::string& style) {
  for (const auto& [x, y] : points)
    shapes_ += "<circle class='dot " + style + "' cx='" + coordinate(across(x)) + "' cy='" +
               coordinate(down(y)) + "' r='3.5'/>";
}

std::string plot::svg(const std::string& what) const {
  return "<svg role='img' aria-label='" + escaped(what) + "' viewBox='0 0 " + coordinate(width_) +
         " " + coordinate(height_) + "'>" + axes_ + shapes_ + "</svg>\n";
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  return safe;
}

}  // namespace bulkhead::faults
