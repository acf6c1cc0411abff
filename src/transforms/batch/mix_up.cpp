// MixUp: every image and its label are mixed with those of the row before; torchvision's rule.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "transforms/batch/batch_operation.hpp"

namespace penstock::inline v0 {
namespace {

struct MixUpParameters {
  double alpha = 1.0;
  int num_classes = 0;

  template <class V>
  void fields(V&& v) {
    v("alpha", alpha,
      "of the Beta(alpha, alpha) distribution that the share of each row's own image is drawn from");
    v("num_classes", num_classes,
      "labels become that many numbers: 1 for the class and 0 for others, mixed alike");
  }
};

struct DrawnShare {
  double lam = 1;

  template <class V>
  void fields(V&& v) {
    v("lam", lam);
  }
};

double standard_normal(Draws& draws) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - draws.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * draws.uniform());
}

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

/// row = before * (1 - lam) + row * lam, each product rounded.
void mix(const float* before, float* row, std::size_t values, double lam) {
  const auto own = static_cast<float>(lam);
  const auto other = static_cast<float>(1.0 - lam);
  for (std::size_t i = 0; i < values; ++i) {
    row[i] = before[i] * other + row[i] * own;
  }
}

class MixUp final : public BatchOperation<MixUp, MixUpParameters, DrawnShare> {
 public:
  static constexpr const char* kName = "MixUp";
  static constexpr const char* kSummary =
      "Mixes every image of a batch, and its label, with the one before it; the first with the last.";
  using BatchOperation::BatchOperation;

  Status check() const override {
    if (!(p_.alpha > 0) || !(p_.alpha <= 1e6)) {
      return wrong("alpha", fmt::format("must be a positive number, got {}", p_.alpha), "");
    }
    if (p_.num_classes < 1 || p_.num_classes > 1 << 24) {
      return wrong("num_classes", fmt::format("must be between 1 and 16777216, got {}", p_.num_classes), "");
    }
    return {};
  }

  void draw(const ImageSpec&, Draws& draws, DrawnShare& drawn) const {
    const double a = gamma_number(p_.alpha, draws);
    const double b = gamma_number(p_.alpha, draws);
    drawn.lam = a + b > 0 ? static_cast<float>(a / (a + b)) : 0.5;
  }

  void run(const DrawnShare& drawn, const BatchRows& images, const BatchRows& labels, float* spare) const {
    for (const BatchRows& column : {images, labels}) {
      const std::size_t count = column.rows.size();
      if (count == 0) {
        continue;
      }
      // From the last row on, so that each finds the one before it as it was.
      std::copy_n(column.rows[count - 1], column.values, spare);
      for (std::size_t i = count - 1; i > 0; --i) {
        mix(column.rows[i - 1], column.rows[i], column.values, drawn.lam);
      }
      mix(spare, column.rows[0], column.values, drawn.lam);
    }
  }
};

}  // namespace

OperationInfo mix_up_operation() { return operation_info<MixUp>(); }

}  // namespace penstock::inline v0
