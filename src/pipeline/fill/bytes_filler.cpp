#include "pipeline/fill/bytes_filler.hpp"

#include <cstring>
#include <vector>

#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
namespace {

class BytesFiller final : public Filler {
 public:
  BytesFiller(const FillerTools& tools, std::size_t column, std::size_t field, FieldKind kind)
      : Filler(tools, column), field_(field), kind_(kind) {}

  void begin(const RowRun&, std::span<const RowParts>) override {
    bytes_.clear();
    values_.clear();
  }

  Status fill(const RowTask& task) override {
    return read(task.parts.front(), field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      PENSTOCK_TRY(check_syntax(kind_, value.bytes));
      if (!values_.empty() && values_.back().row == task.row) {  // of another sample, or read once more
        bytes_.resize(values_.back().offset);
        values_.pop_back();
      }
      values_.push_back({.row = task.row, .offset = bytes_.size(), .size = value.bytes.size()});
      bytes_.insert(bytes_.end(), value.bytes.begin(), value.bytes.end());
      return {};
    });
  }

  void end(const RowRun& run) override {
    if (values_.empty()) {
      return;
    }
    const Slab piece = pool().acquire(bytes_.size());
    std::memcpy(piece.data(), bytes_.data(), bytes_.size());
    // Every row holds the memory, so that rows may be left out later.
    for (const Value& value : values_) {
      place(*run.storage, 0, value.row, piece, value.offset, {value.size});
    }
  }

 private:
  struct Value {
    std::size_t row = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  const std::size_t field_;
  const FieldKind kind_;
  std::vector<std::uint8_t> bytes_;  // of the rows of a run
  std::vector<Value> values_;
};

class BytesPlan final : public OneFieldPlan {
 public:
  using OneFieldPlan::OneFieldPlan;
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override {
    return std::make_unique<BytesFiller>(tools, first_column, field(), column().info.kind);
  }
  std::string rows_in_words(std::size_t) const override { return "bytes of each sample"; }
};

}  // namespace

FillPlanPtr plan_bytes(const FieldInfo& field, std::size_t number) {
  return std::make_unique<BytesPlan>(
      number,
      ColumnPlan{
          .info = field, .spec = {.type = Scalar::uint8, .shape = {kAnyExtent}}, .shares_memory = true});
}

}  // namespace penstock::inline v0
