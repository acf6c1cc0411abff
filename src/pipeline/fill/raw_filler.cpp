#include "pipeline/fill/raw_filler.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "codecs/image_header.hpp"
#include "formats/original_file.hpp"

namespace penstock::inline v0 {
namespace {

// Sizes in an index are not proved before the file is read: beyond this, memory follows what was read.
constexpr std::uint64_t kMaxExpected = std::uint64_t{64} << 20;

class RawFiller final : public Filler {
 public:
  RawFiller(const FillerTools& tools, std::size_t first_column, std::size_t field)
      : Filler(tools, first_column), field_(field) {}

  void begin(const RowRun& run, std::span<const RowParts> rows) override {
    run.storage->raw.data = {};
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < rows.size() && expected < kMaxExpected; ++i) {
      const RowPart& part = rows[i].front();
      expected += std::min(table_of(part).stored_size(part.sample, field_), kMaxExpected);
    }
    bytes_ = pool().acquire(static_cast<std::size_t>(std::min(expected, kMaxExpected)));
    used_ = 0;
  }

  Status fill(const RowTask& task) override {
    const RowPart& part = task.parts.front();
    RawBytes& raw = task.storage.raw;
    PENSTOCK_TRY(read(part, field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      PENSTOCK_ASSIGN(const ByteSpan file, original_.of(value));
      append(file);
      const SampleTable& table = table_of(part);
      ImageSize size = table.image_size(part.sample, field_);
      if (size.width == 0 && table.fields()[field_].kind == FieldKind::image) {
        size = image_size(file);
      }
      raw.offsets[task.row] = static_cast<std::int64_t>(used_);
      raw.sizes[task.row] = static_cast<std::int64_t>(file.size());
      raw.heights[task.row] = size.height;
      raw.widths[task.row] = size.width;
      return {};
    }));
    used_ += static_cast<std::size_t>(raw.sizes[task.row]);
    return {};
  }

  void end(const RowRun& run) override {
    run.storage->raw.data = {bytes_.data(), used_};
    run.storage->row_memory[0] = std::move(bytes_);
  }

 private:
  /// Behind what is there; counts only once the row is good.
  void append(ByteSpan file) {
    if (used_ + file.size() > bytes_.size()) {  // a replaced sample, or more than was expected
      Slab larger = pool().acquire((used_ + file.size()) * 2);
      std::memcpy(larger.data(), bytes_.data(), used_);
      bytes_ = std::move(larger);
    }
    std::memcpy(bytes_.data() + used_, file.data(), file.size());
  }

  const std::size_t field_;
  OriginalFile original_;
  Slab bytes_;
  std::size_t used_ = 0;
};

class RawPlan final : public FillPlan {
 public:
  explicit RawPlan(std::size_t field) : field_{field} {}

  const std::vector<ColumnPlan>& columns() const noexcept override { return none_; }
  std::span<const std::size_t> fields() const noexcept override { return field_; }
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override {
    return std::make_unique<RawFiller>(tools, first_column, field_[0]);
  }
  std::string rows_in_words(std::size_t) const override { return {}; }

 private:
  std::array<std::size_t, 1> field_;
  std::vector<ColumnPlan> none_;
};

}  // namespace

FillPlanPtr plan_raw(std::size_t field) { return std::make_unique<RawPlan>(field); }

}  // namespace penstock::inline v0
