#pragma once
// Every operation there is, with all that the Python classes, stubs and reference pages are made from.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/transform.hpp"

namespace penstock::inline v0 {

struct ParameterInfo {
  std::string name;
  std::string type;          ///< as Python writes it, e.g. "int | tuple[int, int]"
  bool required = false;     ///< has no default
  ParamValue default_value;  ///< meaningful unless required
  std::string doc;           ///< one clause
};

struct DrawnInfo {
  std::string name;
  std::string type;  ///< as Python writes it
};

struct OperationInfo {
  std::string name;     ///< PascalCase
  std::string summary;  ///< one sentence
  std::vector<ParameterInfo> parameters;
  Result<TransformPtr> (*make)(const Params& params) = nullptr;
  std::string kind;              ///< of what it acts on: image, audio or batch
  std::vector<DrawnInfo> drawn;  ///< the values that it draws
};

/// In the order in which people meet them. Built on first use, then read-only: any thread may call.
std::span<const OperationInfo> catalog();
/// nullptr if there is none of this name.
const OperationInfo* find_operation(std::string_view name);

}  // namespace penstock::inline v0
