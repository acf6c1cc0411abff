#include "transforms/composite/batch_composite.hpp"

#include <fmt/format.h>

namespace penstock::inline v0 {
namespace {

bool is_on_batches(const TransformPtr& operation) {
  return dynamic_cast<const BatchTransform*>(operation.get()) != nullptr;
}

}  // namespace

bool holds_batch_operations(const Params& params) {
  return std::any_of(params.begin(), params.end(), [](const auto& parameter) {
    const auto* const held = std::get_if<HeldOperations>(&parameter.second);
    return held != nullptr && std::any_of(held->list.begin(), held->list.end(), is_on_batches);
  });
}

Status check_held_on_batches(std::string_view owner, const std::vector<TransformPtr>& operations) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!is_on_batches(operations[i])) {
      return Error{
          ErrorKind::invalid,
          fmt::format("{}: transforms[{}]: {} does not work on whole batches, as others beside it do", owner,
                      i, operations[i]->name()),
          fmt::format("put {} into the list itself, before {}", operations[i]->name(), owner),
          {}};
    }
    PENSTOCK_TRY(operations[i]->check());
  }
  return check_same_classes(operations);
}

}  // namespace penstock::inline v0
