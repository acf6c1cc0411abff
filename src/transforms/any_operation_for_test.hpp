#pragma once
// For tests that walk the catalogue: every operation, with parameters that it takes.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "transforms/catalog.hpp"
#include "transforms/transform.hpp"

namespace penstock::test {

/// What a parameter that must be given is given: the first that the operation takes.
inline const std::array<ParamValue, 6> kParameterCandidates = {std::int64_t{8},
                                                               0.5,
                                                               std::vector<double>{0.4, 0.5, 0.6},
                                                               true,
                                                               std::string(),
                                                               std::vector<std::int64_t>{1, 2}};

/// Nothing if none of them will do.
inline std::optional<TransformPtr> make_any(const OperationInfo& info) {
  std::vector<std::string> needed;
  for (const ParameterInfo& parameter : info.parameters) {
    if (parameter.required) {
      needed.push_back(parameter.name);
    }
  }
  std::vector<std::size_t> choice(needed.size(), 0);
  while (true) {
    Params params;
    for (std::size_t i = 0; i < needed.size(); ++i) {
      params.emplace_back(needed[i], kParameterCandidates[choice[i]]);
    }
    if (auto made = make_transform(info.name, params); made.ok()) {
      return *made;
    }
    std::size_t place = 0;
    while (place < choice.size() && ++choice[place] == kParameterCandidates.size()) {
      choice[place++] = 0;
    }
    if (place == choice.size()) {
      return {};
    }
  }
}

/// Those of a kind, and those of which nothing can be made.
template <class Base>
std::vector<const OperationInfo*> operations_on() {
  std::vector<const OperationInfo*> some;
  for (const OperationInfo& info : catalog()) {
    const auto made = make_any(info);
    if (!made || dynamic_cast<const Base*>(made->get()) != nullptr) {
      some.push_back(&info);
    }
  }
  return some;
}

}  // namespace penstock::test
