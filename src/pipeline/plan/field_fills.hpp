#pragma once
// Which filler each field of a data set gets.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "penstock/dataset.hpp"
#include "penstock/loader.hpp"
#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "pipeline/fill/filler.hpp"
#include "pipeline/fill/plane_plan.hpp"
#include "pipeline/order/row_plan.hpp"

namespace penstock::inline v0 {

/// What a loader's rows are made of, and what makes them where the usual fillers do not.
struct RowRecipe {
  RowPlanPtr plan;
  /// What fills the columns of a field, of which `list` is to be done; null where the usual filler does.
  using Fill = Result<FillPlanPtr>(const SampleTable& table, std::size_t field, const FieldList& list,
                                   MemoryFormat format, const LoaderOptions& options);
  std::function<Fill> fill = {};
};

/// All that decides about the fillers of a plan. `lists`: of each entry of `transforms` what is left without
/// the operations on batches, by field.
struct FieldFills {
  const Dataset& dataset;
  const FieldTransforms& transforms;
  const FieldTransforms& lists;
  const std::vector<View>& views;
  const std::vector<TransformPtr>& batch_operations;
  const std::optional<PlaneFields>& plane;
  const RowRecipe& rows;
  MemoryFormat format;
  const LoaderOptions& options;

  /// What fills the columns of a field; null if the plan of the image does.
  Result<FillPlanPtr> of(std::size_t number) const;

 private:
  Result<FillPlanPtr> of_kind(std::size_t number, const FieldList& list) const;
};

}  // namespace penstock::inline v0
