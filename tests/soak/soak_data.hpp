#pragma once
// What the loads of a long run read, and what must come of it.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "formats/sample_table.hpp"
#include "io/faulty_storage_for_test.hpp"
#include "penstock/loader.hpp"

namespace penstock::inline v0 {

/// Each row: the sample's number and all that the batch holds of it, as bytes.
using Rows = std::vector<std::string>;
std::int64_t number_of(const std::string& row);
void add_rows(const Batch& batch, Rows& rows);
/// The rest of an epoch; throws std::runtime_error with the error of a batch that fails.
void add_rest(Loader& loader, std::uint64_t ticket, Rows& rows);

/// Two shards in memory, with an image that is cut off, one that is none, and a fault that strikes no read
/// of the second before the table is open.
std::shared_ptr<const SampleTable> tars_with(Fault fault);

/// What all loads have in common.
LoaderOptions options_of_every_load();

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

}  // namespace penstock::inline v0
