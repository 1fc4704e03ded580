// A plot as SVG that stands in an HTML page; its colours are the page's.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bulkhead::faults {

struct axis {
  std::string title;
  double lowest = 0;
  double highest = 1;
  bool is_log = false;  // then lowest is above 0
  // Where there are marks, and what they say; empty: as fits.
  std::vector<std::pair<double, std::string>> marks{};
};

class plot {
 public:
  plot(axis x, axis y, double width, double height);

  // A class of the page names the colour.
  void band(double from, double to, const std::string& style);
  void line(const std::vector<std::pair<double, double>>& points, const std::string& style);
  void dots(const std::vector<std::pair<double, double>>& points, const std::string& style);
  // `what` is for those who can't see it.
  std::string svg(const std::string& what) const;

 private:
  double across(double x) const;
  double down(double y) const;
  void add_axes();

  axis x_;
  axis y_;
  double width_;
  double height_;
  std::string shapes_;
  std::string axes_;
};

std::string escaped(const std::string& text);

}  // namespace bulkhead::faults
