#pragma once
// Loads for long runs: each uses loaders in its own way, with its own faults, and checks every row it gets.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "formats/sample_table.hpp"
#include "penstock/loader.hpp"

namespace penstock {

/// Each row: the sample's number and all that the batch holds of it, as bytes.
using Rows = std::vector<std::string>;

/// The tables that loads read: some samples are bad, some slow, in memory and in tars behind sources that
/// fail.
class SoakData {
 public:
  static constexpr std::uint64_t kSamples = 61;
  static constexpr std::uint64_t kEpochs = 3;  ///< of which there is a reference

  SoakData();
  const std::vector<std::shared_ptr<const SampleTable>>& tables() const { return tables_; }
  /// What one worker delivers; made when first asked for. Any thread.
  const Rows& reference(std::size_t table, OnError on_error, std::uint64_t epoch);

 private:
  std::vector<std::shared_ptr<const SampleTable>> tables_;
  std::mutex mutex_;
  std::map<std::tuple<std::size_t, OnError, std::uint64_t>, Rows> references_;
};

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

}  // namespace penstock
