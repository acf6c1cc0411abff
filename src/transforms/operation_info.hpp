#pragma once
// From an operation's class to its entry in the catalogue. For the operations' own files.

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "transforms/catalog.hpp"
#include "transforms/required_params.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// `invalid`: what `operation` takes, since `parameter` is not among it.
Error unknown_parameter(const OperationInfo& operation, std::string_view parameter);

template <class Op>
Result<TransformPtr> make_operation(const Params& params);

inline constexpr const char* kKeyDoc =
    "operations with one key draw the same, in whatever list or view they stand";

/// Takes `key` from the parameters; `invalid` if it is not a name.
Status take_key(std::string_view operation, const ParamValue& given, std::string& key);

template <class Op>
OperationInfo operation_info() {
  OperationInfo info{Op::kName, Op::kSummary, {}, &make_operation<Op>, Op::kKind, {}};
  typename Op::ParametersType defaults;
  defaults.fields([&](const char* name, auto& value, const char* doc) {
    using Codec = ParamCodec<std::decay_t<decltype(value)>>;
    const bool required = Codec::missing(value);
    info.parameters.push_back(
        {name, std::string(Codec::kType), required, required ? ParamValue() : Codec::to_value(value), doc});
  });
  typename Op::DrawnValues drawn;
  drawn.fields([&](const char* name, auto& value) {
    info.drawn.push_back({name, std::string(detail::DrawnCodec<std::decay_t<decltype(value)>>::kType)});
  });
  if (Op::kDraws) {
    info.parameters.push_back({"key", "str | None", false, ParamValue(), kKeyDoc});
  }
  return info;
}

template <class Op>
Result<TransformPtr> make_operation(const Params& params) {
  typename Op::ParametersType parameters;
  Status status;
  std::size_t used = 0;
  parameters.fields([&](const char* name, auto& value, const char*) {
    using Codec = ParamCodec<std::decay_t<decltype(value)>>;
    bool found = false;
    for (const auto& [given, what] : params) {
      if (given == name) {
        found = true;
        ++used;
        if (status.ok() && !Codec::from_value(what, value)) {
          status = invalid_parameter(Op::kName, name,
                                     "must be " + in_words(Codec::kType) + ", got " + repr(what), "");
        }
      }
    }
    if (status.ok() && !found && Codec::missing(value)) {
      status = invalid_parameter(Op::kName, name, "is required", "pass " + in_words(Codec::kType));
    }
  });
  std::string key;
  for (const auto& [given, what] : params) {
    if (Op::kDraws && given == "key") {
      ++used;
      PENSTOCK_TRY(take_key(Op::kName, what, key));
    }
  }
  if (used != params.size()) {
    const OperationInfo info = operation_info<Op>();
    for (const auto& given : params) {
      bool found = false;
      for (const ParameterInfo& parameter : info.parameters) {
        found = found || parameter.name == given.first;
      }
      if (!found) {
        return unknown_parameter(info, given.first);
      }
    }
  }
  PENSTOCK_TRY(std::move(status));
  auto operation = std::make_shared<const Op>(std::move(parameters), std::move(key));
  PENSTOCK_TRY(operation->check());
  return TransformPtr(std::move(operation));
}

}  // namespace penstock::inline v0
