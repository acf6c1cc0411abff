#pragma once
// For tests that walk the catalogue: every operation, with parameters that it takes.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "transforms/catalog.hpp"
#include "transforms/transform.hpp"

namespace penstock::test {

/// Geometry and a table.
inline HeldOperations held_operations() {
  return {{transforms::RandomHorizontalFlip{}, make_transform("ColorJitter", {{"brightness", 0.5}}).value()}};
}

/// What a parameter that must be given is given: the first that the operation takes.
inline const std::array<ParamValue, 9> kParameterCandidates = {std::int64_t{8},
                                                               std::int64_t{7},
                                                               0.5,
                                                               std::vector<double>{0.4, 0.5, 0.6},
                                                               true,
                                                               std::string(),
                                                               std::string("xywh"),
                                                               std::vector<std::int64_t>{1, 2},
                                                               held_operations()};

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

/// The values that a parameter may have besides its default, as far as they can be guessed from its type.
inline std::vector<ParamValue> other_values(const ParameterInfo& parameter) {
  std::vector<ParamValue> values;
  const std::string& type = parameter.type;
  for (std::size_t open = type.find('\''); open != std::string::npos;) {  // Literal['nearest', 'box']
    const std::size_t close = type.find('\'', open + 1);
    values.emplace_back(type.substr(open + 1, close - open - 1));
    open = type.find('\'', close + 1);
  }
  values.insert(values.end(),
                {1.0, 0.25, std::int64_t{3}, std::int64_t{30}, true, false, std::vector<double>{0.25, 0.75}});
  std::erase(values, parameter.default_value);
  return values;
}

/// The operation as make_any() gives it, with each other value of its other parameters that it takes, and
/// with one of each at once: where the defaults do nothing, something else does.
inline std::vector<TransformPtr> variants_of(const OperationInfo& info, const TransformPtr& plain) {
  std::vector<TransformPtr> variants = {plain};
  Params changed;
  const auto with = [&](Params base, const std::string& name, const ParamValue& value) {
    for (const auto& [given, of_plain] : params_of(*plain)) {
      const bool is_set =
          std::any_of(base.begin(), base.end(), [&](const auto& it) { return it.first == given; });
      if (!is_set && given != name) {
        base.emplace_back(given, of_plain);
      }
    }
    base.emplace_back(name, value);
    return make_transform(info.name, base);
  };
  for (const ParameterInfo& parameter : info.parameters) {
    bool first = true;
    for (const ParamValue& value : parameter.required || parameter.name == "key" ? std::vector<ParamValue>()
                                                                                 : other_values(parameter)) {
      if (const auto made = with({}, parameter.name, value); made.ok()) {
        variants.push_back(*made);
        if (first && with(changed, parameter.name, value).ok()) {
          changed.emplace_back(parameter.name, value);
          first = false;
        }
      }
    }
  }
  if (changed.size() > 1) {
    const auto last = changed.back();
    changed.pop_back();
    variants.push_back(with(changed, last.first, last.second).value());
  }
  return variants;
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
