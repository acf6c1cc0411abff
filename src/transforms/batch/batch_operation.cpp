#include "transforms/batch/batch_operation.hpp"

#include <algorithm>

namespace penstock::inline v0 {

Result<std::vector<TransformPtr>> take_batch_operations(std::vector<TransformPtr>& list) {
  const auto is_of_batches = [](const TransformPtr& operation) {
    return dynamic_cast<const BatchTransform*>(operation.get()) != nullptr;
  };
  const auto first = std::find_if(list.begin(), list.end(), is_of_batches);
  const auto stray = std::find_if_not(first, list.end(), is_of_batches);
  if (stray != list.end()) {
    return Error{
        ErrorKind::invalid,
        std::string((*first)->name()) + " works on whole batches and must stand at the end of the list",
        "put it behind all other operations",
        {}};
  }
  std::vector<TransformPtr> taken(first, list.end());
  for (const TransformPtr& operation : taken) {
    PENSTOCK_TRY(operation->check());
  }
  list.erase(first, list.end());
  return taken;
}

}  // namespace penstock::inline v0
