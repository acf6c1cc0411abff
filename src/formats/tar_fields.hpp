#pragma once
// Which members of a sample make up which field.

#include <cstdint>
#include <string>
#include <vector>

#include "formats/sample_table.hpp"
#include "formats/tar_index.hpp"

namespace penstock::inline v0 {

struct TarFields {
  std::vector<FieldInfo> fields;
  /// Per field: the extensions (numbers in the index) that stand for it. No sample has two of them.
  std::vector<std::vector<std::uint16_t>> extensions;
  std::string left_out;  ///< a remark on fields that only some samples have, or empty
};

/// Without a choice: the fields that all samples have, by their default names, in order of appearance.
/// A choice names a default field or an extension; one that no sample has is `invalid`.
Result<TarFields> choose_tar_fields(const TarIndex& index, const FieldChoice& choice);

/// `invalid` if a name is empty or chosen twice.
Status check_field_choice(const FieldChoice& choice);

}  // namespace penstock::inline v0
