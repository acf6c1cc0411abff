#include "pipeline/order/row_plan.hpp"

#include <algorithm>
#include <utility>

namespace penstock::inline v0 {
namespace {

class SamplePerRow final : public RowPlan {
 public:
  explicit SamplePerRow(std::uint64_t samples) : samples_(samples) {}

  std::uint64_t rows() const noexcept override { return samples_; }
  std::size_t max_parts() const noexcept override { return 1; }
  void parts(std::uint64_t /*seed*/, std::uint64_t /*epoch*/, std::uint64_t row,
             RowParts& parts) const override {
    parts.resize(1);
    parts[0] = {.sample = row};
  }
  bool repeats() const noexcept override { return false; }
  bool in_order() const noexcept override { return true; }
  std::string describe() const override { return {}; }
  std::vector<std::uint64_t> shard_starts(std::uint64_t /*seed*/,
                                          std::span<const RowTable> tables) const override {
    return tables.front().table->shard_starts();
  }

 private:
  std::uint64_t samples_;
};

}  // namespace

std::vector<std::uint64_t> RowPlan::shard_starts(std::uint64_t seed, std::span<const RowTable> tables) const {
  std::vector<std::vector<std::uint64_t>> shards;
  for (const RowTable& table : tables) {
    shards.push_back(table.table->shard_starts());
    if (shards.back().empty() && table.table->size() > 0) {
      return {};  // one without shards
    }
  }
  std::vector<std::uint64_t> starts;
  RowParts row_parts;
  std::pair<std::size_t, std::ptrdiff_t> before{tables.size(), 0};
  for (std::uint64_t row = 0; row < rows(); ++row) {
    parts(seed, 0, row, row_parts);
    const auto& [sample, table, part] = row_parts.front();
    const std::vector<std::uint64_t>& own = shards[table];
    const std::pair<std::size_t, std::ptrdiff_t> here{
        table, std::upper_bound(own.begin(), own.end(), sample) - own.begin()};
    if (here != before) {
      starts.push_back(row);
      before = here;
    }
  }
  return starts;
}

RowPlanPtr sample_per_row(std::uint64_t samples) { return std::make_shared<const SamplePerRow>(samples); }

}  // namespace penstock::inline v0
