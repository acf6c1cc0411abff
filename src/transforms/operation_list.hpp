#pragma once
// A list of operations on one kind of value, checked: what goes into each, and where each draws. Programs of
// images and of audio stand on it.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/draw_address.hpp"
#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// Where a list stands: the room of its draws, and the number of its first operation.
struct ListPlace {
  std::uint64_t room = 0;
  std::uint32_t first_op = 0;
};

/// What all operations of a list drew for one sample. The memory of one worker.
using DrawnList = std::vector<DrawnPtr>;

/// What does not depend on the kind of value.
class ListDraws {
 public:
  ListDraws() = default;
  ListDraws(std::vector<TransformPtr> operations, const ListPlace& place);

  std::size_t size() const noexcept { return operations_.size(); }
  const std::vector<TransformPtr>& operations() const noexcept { return operations_; }
  const DrawAddress& address(std::size_t i) const noexcept { return addresses_[i]; }
  Draws draws(std::size_t i, const RandomKey& key) const noexcept { return {key, addresses_[i]}; }

  DrawnList make_drawn() const;
  std::vector<NamedDrawn> named(const DrawnList& drawn) const;
  /// The same as bare numbers, for memory that is used again: appended here, taken from the front there.
  void save(const DrawnList& drawn, std::vector<double>& numbers) const;
  void load(std::span<const double>& numbers, DrawnList& drawn) const;
  /// The opposite of named(); `invalid` unless there is what each operation needs, in the order of the list.
  Status set(const std::vector<NamedDrawn>& named, DrawnList& drawn) const;

 private:
  std::vector<TransformPtr> operations_;
  std::vector<DrawAddress> addresses_;
};

/// Sets what an operation drew from what was named; `invalid` if that is of another operation.
Status set_drawn(const Transform& operation, const NamedDrawn& named, Drawn& drawn);

/// `invalid`: an operation that is missing, or works on another kind of value than `wanted`.
Error wrong_operation(const Transform* operation, std::size_t number, const char* wanted);

/// `Base` is ImageTransform or AudioTransform, with its Spec and the name of its kind.
template <class Base, class Spec>
class OperationList : public ListDraws {
 public:
  OperationList() = default;
  /// Checks every operation, and how they follow each other (`invalid`).
  static Result<OperationList> compile(std::vector<TransformPtr> operations, const Spec& in,
                                       const ListPlace& place = {}) {
    OperationList list;
    list.specs_.push_back(in);
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const auto* operation = dynamic_cast<const Base*>(operations[i].get());
      if (operation == nullptr) {
        return wrong_operation(operations[i].get(), i, Base::kKind);
      }
      PENSTOCK_TRY(operation->check());
      PENSTOCK_ASSIGN(Spec out, operation->describe(list.specs_.back()));
      list.specs_.push_back(std::move(out));
      list.typed_.push_back(operation);
    }
    static_cast<ListDraws&>(list) = ListDraws(std::move(operations), place);
    return list;
  }

  const Base& operator[](std::size_t i) const noexcept { return *typed_[i]; }
  /// What goes into operation i; of i = size(), what comes out.
  const Spec& spec(std::size_t i) const noexcept { return specs_[i]; }
  const Spec& output() const noexcept { return specs_.back(); }

 private:
  std::vector<const Base*> typed_;
  std::vector<Spec> specs_;
};

}  // namespace penstock::inline v0
