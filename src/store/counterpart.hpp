#pragma once
// The data set that a store is compared with: where the store's samples and fields are in it.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "formats/sample_table.hpp"
#include "formats/store.hpp"
#include "penstock/store.hpp"

namespace penstock::inline v0 {

struct Counterpart {
  static constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kUsedUp = kNowhere - 1;  ///< the source has this key, but less often

  std::shared_ptr<const SampleTable> table;
  std::vector<std::uint64_t> columns;  ///< by field of the store, or kNowhere
  std::vector<std::uint64_t> rows;  ///< by sample of the store, kNowhere or kUsedUp; empty: the same numbers
  std::uint64_t not_in_store = 0;   ///< samples
  std::vector<std::string> problems;
  std::vector<std::string> notes;

  std::uint64_t row(std::uint64_t sample) const { return rows.empty() ? sample : rows[sample]; }
};

/// What `settings` name to compare with, matched by the keys of the samples and the names of the fields.
Result<Counterpart> open_counterpart(const StoreFiles& files, const VerifySettings& settings);

}  // namespace penstock::inline v0
