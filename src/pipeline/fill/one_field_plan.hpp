#pragma once
// The part of a FillPlan that one field and one column have in common.

#include <array>
#include <utility>
#include <vector>

#include "pipeline/fill/filler.hpp"

namespace penstock::inline v0 {

class OneFieldPlan : public FillPlan {
 public:
  OneFieldPlan(std::size_t field, ColumnPlan column) : field_{field} {
    columns_.push_back(std::move(column));
  }

  const std::vector<ColumnPlan>& columns() const noexcept override { return columns_; }
  std::span<const std::size_t> fields() const noexcept override { return field_; }

 protected:
  std::size_t field() const noexcept { return field_[0]; }
  const ColumnPlan& column() const noexcept { return columns_[0]; }

 private:
  std::array<std::size_t, 1> field_;
  std::vector<ColumnPlan> columns_;
};

}  // namespace penstock::inline v0
