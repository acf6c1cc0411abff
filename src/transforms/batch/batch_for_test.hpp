#pragma once
// Small batches of floats in memory, for tests of operations on whole batches.

#include <utility>
#include <vector>

#include "transforms/batch/batch_operation.hpp"
#include "transforms/run_for_test.hpp"

namespace penstock::test {

inline const BatchTransform& batch_operation(const TransformPtr& operation) {
  return dynamic_cast<const BatchTransform&>(*operation);
}

/// Rows that stand one after the other.
template <class T>
std::vector<void*> rows_of(std::vector<T>& values, std::size_t rows) {
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < rows; ++i) {
    pointers.push_back(values.data() + i * (values.size() / rows));
  }
  return pointers;
}

/// What the operation draws for a batch of images of this size.
inline Params drawn_for_batch(const TransformPtr& operation, ImageSize size, std::uint64_t place,
                              std::size_t count = 0) {
  const DrawnPtr drawn = operation->make_drawn();
  Draws draws(RandomKey{1, 2, place}, kBatchOps);
  BatchSlots slots;
  const std::vector<void*> rows(count);
  slots.images.size = size;
  slots.images.rows = rows;
  slots.labels = rows;
  batch_operation(operation).draw_for(slots, draws, *drawn);
  return drawn->values();
}

inline void run_batch(const TransformPtr& operation, const Params& drawn, const BatchSlots& slots) {
  const DrawnPtr memory = operation->make_drawn();
  ASSERT_TRUE(memory->set(operation->name(), drawn).ok());
  Scratch scratch;
  batch_operation(operation).run_for(*memory, slots, scratch);
}

}  // namespace penstock::test
