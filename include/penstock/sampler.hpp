#pragma once
// Which samples an epoch has, and in which order.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace penstock::inline v0 {

/// A plain value: copies share their lists, equality compares them.
struct Sampler {
  enum class Kind : std::uint8_t {
    automatic,   ///< sequential, or random with LoaderOptions::shuffle
    sequential,  ///< the data set's own order
    random,      ///< a permutation, new every epoch; with replacement: independent draws
    weighted,    ///< draws with the probabilities `weights`
    repeated,    ///< a permutation, each sample `num_repeats` times in a row, dealt out to ranks one by one
    indices,     ///< the samples of `indices`, in that order
    given        ///< the order comes with each epoch: Loader::start_epoch(order)
  };

  Kind kind = Kind::automatic;
  bool replacement = false;
  std::uint64_t num_repeats = 1;
  std::optional<std::uint64_t> num_samples{};  ///< places in an epoch, where they are drawn or given
  std::shared_ptr<const std::vector<double>> weights{};
  std::shared_ptr<const std::vector<std::uint64_t>> indices{};

  static Sampler sequential() { return {.kind = Kind::sequential}; }
  static Sampler random(bool replacement = false, std::optional<std::uint64_t> num_samples = {}) {
    return {.kind = Kind::random, .replacement = replacement, .num_samples = num_samples};
  }
  static Sampler weighted(std::vector<double> weights, bool replacement = true,
                          std::optional<std::uint64_t> num_samples = {}) {
    return {.kind = Kind::weighted,
            .replacement = replacement,
            .num_samples = num_samples,
            .weights = std::make_shared<const std::vector<double>>(std::move(weights))};
  }
  /// Repeated augmentation (Hoffer et al., 2019). `num_samples`: as many as the data set has, rounded down to
  /// a multiple of 256 if there are so many.
  static Sampler repeated(std::uint64_t num_repeats = 3, std::optional<std::uint64_t> num_samples = {}) {
    return {.kind = Kind::repeated, .num_repeats = num_repeats, .num_samples = num_samples};
  }
  static Sampler of_indices(std::vector<std::uint64_t> indices) {
    return {.kind = Kind::indices,
            .indices = std::make_shared<const std::vector<std::uint64_t>>(std::move(indices))};
  }
  /// `places` is how many samples an epoch will have.
  static Sampler given(std::uint64_t places) { return {.kind = Kind::given, .num_samples = places}; }

  friend bool operator==(const Sampler& a, const Sampler& b) {
    const auto same = [](const auto& x, const auto& y) { return x == y || (x && y && *x == *y); };
    return a.kind == b.kind && a.replacement == b.replacement && a.num_repeats == b.num_repeats &&
           a.num_samples == b.num_samples && same(a.weights, b.weights) && same(a.indices, b.indices);
  }
};

}  // namespace penstock::inline v0
