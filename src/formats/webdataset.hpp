#pragma once
// WebDataset's conventions: which members form a sample, and how its fields are called.
// The rules in words: docs/formats/webdataset.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/sample.hpp"

namespace penstock::inline v0 {

struct MemberName {
  std::string_view key;
  std::string_view extension;  ///< as written, not yet lower-cased; may be empty
};

/// Splits at the first dot of the last path component. Nothing for names that belong to no sample: without a
/// dot, hidden files, metadata (`__info__/x.json`), and what is_named_by_desktop(). Views into `path`.
std::optional<MemberName> split_member_name(std::string_view path) noexcept;

/// What desktops leave in folders: macOS `.DS_Store` and the folder `__MACOSX`, Windows `Thumbs.db` and
/// `desktop.ini`. Belongs to no sample.
bool is_named_by_desktop(std::string_view path) noexcept;

/// The file `dir/x.jpg` beside which macOS adds `dir/._x.jpg`; empty for other names.
std::string companion_of(std::string_view path);

/// The field that an extension (lower case) stands for, as long as it has the name for itself.
FieldInfo default_field(std::string_view extension);

/// The extensions (lower case) whose default field has this name, in order of preference.
std::vector<std::string_view> extensions_named(std::string_view field);

/// Whether other extensions have the same default field (jpg and png are both `image`).
bool shares_default_field(std::string_view extension);

/// Field names of all extensions of a data set. `together` lists pairs (numbers of extensions) that share a
/// default field and occur in one sample: there the one that comes first in the order of preference (jpg,
/// jpeg, png, webp) takes the name, and the other keeps its own. Nothing for an extension whose own name is
/// taken: it has no field.
std::vector<std::optional<std::string>> name_fields(
    const std::vector<std::string>& extensions,
    const std::vector<std::pair<std::uint16_t, std::uint16_t>>& together);

}  // namespace penstock::inline v0
