#include "transforms/distributions.hpp"

#include <cmath>
#include <numbers>

namespace penstock::inline v0 {
namespace {

/// Marsaglia and Tsang's method.
double gamma_number(double shape, Draws& draws) {
  if (shape < 1) {
    const double u = 1.0 - draws.uniform();
    return gamma_number(shape + 1, draws) * std::pow(u, 1 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = standard_normal(draws);
    const double v = std::pow(1.0 + c * x, 3);
    if (v > 0 && std::log(1.0 - draws.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

}  // namespace

double standard_normal(Draws& draws) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - draws.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * draws.uniform());
}

double beta_number(double alpha, Draws& draws) {
  const double a = gamma_number(alpha, draws);
  const double b = gamma_number(alpha, draws);
  return a + b > 0 ? static_cast<float>(a / (a + b)) : 0.5;
}

void draw_dirichlet(double alpha, std::span<double> numbers, Draws& draws) {
  double sum = 0;
  for (double& number : numbers) {
    number = gamma_number(alpha, draws);
    sum += number;
  }
  for (double& number : numbers) {
    number = static_cast<float>(sum > 0 ? number / sum : 1.0 / static_cast<double>(numbers.size()));
  }
}

}  // namespace penstock::inline v0
