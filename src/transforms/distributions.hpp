#pragma once
// Draws that are not uniform. Pure functions of their draws; any thread may call.

#include <span>

#include "core/rng.hpp"

namespace penstock::inline v0 {

/// Of mean 0 and deviation 1.
double standard_normal(Draws& draws);
/// Of the Beta(alpha, alpha) distribution, rounded to float32 as torch's are.
double beta_number(double alpha, Draws& draws);
/// Numbers of the symmetric Dirichlet distribution: their sum is 1. Rounded to float32 as torch's are.
void draw_dirichlet(double alpha, std::span<double> numbers, Draws& draws);

}  // namespace penstock::inline v0
