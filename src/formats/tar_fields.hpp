#pragma once
// Which members of a sample make up which field.

#include <cstdint>
#include <string>
#include <vector>

#include "formats/sample_table.hpp"
#include "formats/tar_index.hpp"

namespace penstock::inline v0 {

/// Fields that are taken without a choice: each is a column of every batch, and looked for in every sample.
inline constexpr std::size_t kMaxUnchosenFields = 4096;

struct TarFields {
  std::vector<FieldSpec> fields;
  /// Per field: the extensions (numbers in the index) that stand for it. No sample has two of them.
  std::vector<std::vector<std::uint16_t>> extensions;
  std::string left_out;  ///< a remark on fields that only some samples have, or empty
};

/// Without a choice: the fields that all samples have, by their default names, in order of appearance;
/// `unsupported` if they are more than kMaxUnchosenFields.
/// A choice names a default field or an extension; one that no sample has is `invalid`.
Result<TarFields> choose_tar_fields(const TarIndex& index, const FieldChoice& choice);

}  // namespace penstock::inline v0
