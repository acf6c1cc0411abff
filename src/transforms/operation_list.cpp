#include "transforms/operation_list.hpp"

#include <fmt/format.h>

#include "penstock/foreign_stage.hpp"
#include "transforms/batch/batch_operation.hpp"

namespace penstock::inline v0 {

ListDraws::ListDraws(std::vector<TransformPtr> operations, const ListPlace& place)
    : operations_(std::move(operations)) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const std::string& key = operations_[i]->key();
    addresses_.push_back(key.empty() ? DrawAddress{place.room, place.first_op + static_cast<std::uint32_t>(i)}
                                     : key_address(key));
  }
}

DrawnList ListDraws::make_drawn() const {
  DrawnList drawn;
  for (const TransformPtr& operation : operations_) {
    drawn.push_back(operation->make_drawn());
  }
  return drawn;
}

std::vector<NamedDrawn> ListDraws::named(const DrawnList& drawn) const {
  std::vector<NamedDrawn> values;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    values.push_back({std::string(operations_[i]->name()), drawn[i]->values()});
  }
  return values;
}

void ListDraws::save(const DrawnList& drawn, std::vector<double>& numbers) const {
  for (const DrawnPtr& each : drawn) {
    each->save(numbers);
  }
}

void ListDraws::load(std::span<const double>& numbers, DrawnList& drawn) const {
  for (const DrawnPtr& each : drawn) {
    each->load(numbers);
  }
}

Status ListDraws::set(const std::vector<NamedDrawn>& named, DrawnList& drawn) const {
  if (named.size() != operations_.size()) {
    return Error{ErrorKind::invalid,
                 fmt::format("params for {} operations, the list has {}", named.size(), operations_.size()),
                 "pass the params of this list, one for each operation",
                 {}};
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    PENSTOCK_TRY(set_drawn(*operations_[i], named[i], *drawn[i]));
  }
  return {};
}

Status set_drawn(const Transform& operation, const NamedDrawn& named, Drawn& drawn) {
  if (named.operation != operation.name()) {
    return Error{ErrorKind::invalid,
                 fmt::format("params of {}, where the list has {}", named.operation, operation.name()),
                 "pass the params of this list, in its order",
                 {}};
  }
  return drawn.set(operation.name(), named.values);
}

Error wrong_operation(const Transform* operation, std::size_t number, const char* wanted) {
  if (operation == nullptr) {
    return Error{ErrorKind::invalid, fmt::format("operation {} of the list is null", number), "", {}};
  }
  const std::string name(operation->name());
  if (const auto& stage = operation->foreign()) {
    return Error{ErrorKind::invalid,
                 stage->name() + " is a function of Python, which a list of operations cannot call by itself",
                 "use it in the transforms of a Loader, for a field of kind image",
                 {}};
  }
  if (dynamic_cast<const BatchTransform*>(operation) != nullptr) {
    return Error{
        ErrorKind::invalid,
        name + " works on whole batches",
        fmt::format("put it at the end of the one list of a Loader, transforms=[..., {}(...)], not into "
                    "a view",
                    name),
        {}};
  }
  if (std::string_view(wanted) == ImageTransform::kKind) {
    return Error{ErrorKind::invalid,
                 name + " works on recordings, not on images",
                 "use it for a field of kind audio: transforms={\"audio\": [...]}",
                 {}};
  }
  return Error{ErrorKind::invalid,
               name + " works on images, not on recordings",
               "use it for a field of kind image: transforms={\"image\": [...]}",
               {}};
}

}  // namespace penstock::inline v0
