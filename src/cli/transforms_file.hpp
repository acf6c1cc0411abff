#pragma once
// --transforms FILE: a list of operations, or views, that a verb is given.

#include <string>

#include "penstock/result.hpp"
#include "transforms/config.hpp"

namespace penstock::cli {

inline constexpr const char* kTransformsHelp =
    "a JSON file with the transforms: what penstock.transforms.to_config() gives";

/// Nothing for an empty path. Problems name the file.
Result<TransformsConfig> transforms_of_file(const std::string& path);

}  // namespace penstock::cli
