#pragma once
// Parameters between Python's values and those of the engine.

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "penstock/transform.hpp"

namespace penstock::python {

/// Raises InvalidError for what is no parameter; `operation` and `parameter` are for the message.
ParamValue to_value(const std::string& operation, const std::string& parameter, nanobind::handle given);
/// Lists become tuples.
nanobind::object to_object(const ParamValue& value);
/// [{"op": name, ...}, ...]: plain values, lists are lists.
nanobind::list params_list(const std::vector<NamedDrawn>& named);
/// The opposite; raises InvalidError for what is no such list.
std::vector<NamedDrawn> named_of(const nanobind::list& rows);

}  // namespace penstock::python
