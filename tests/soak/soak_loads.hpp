#pragma once
// Loads for long runs: each uses loaders in its own way, with its own faults, and checks every row it gets.

#include <cstdint>
#include <random>
#include <string>

#include "penstock/loader.hpp"
#include "soak_data.hpp"

namespace penstock::inline v0 {

/// One run of one load. Throws std::runtime_error that says what is wrong.
class SoakLoad {
 public:
  SoakLoad(SoakData& data, std::uint64_t seed);
  static std::size_t count();
  static const char* name(std::size_t number);
  void run(std::size_t number);

  void whole_epochs();     ///< in order or as batches are ready, while another thread looks at the statistics
  void several_ranks();    ///< each in a thread of its own
  void stop_and_resume();  ///< the rest by a loader that is set otherwise
  void abandoned();        ///< iterations left at any point; batches that outlive their loader
  void errors_raised();    ///< a batch with a bad sample fails, the others come as ever
  void closed_by_another();  ///< close() while somebody waits
  void impatient();          ///< short patience and timeouts that strike
  void source_fails_for_a_while();

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  LoaderOptions settings();
  Loader open(const LoaderOptions& options);
  void check(const Rows& got, const Rows& expected, const std::string& what) const;

  SoakData& data_;
  std::mt19937_64 random_;
  std::size_t table_;
  OnError on_error_;
};

}  // namespace penstock::inline v0
