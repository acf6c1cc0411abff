#pragma once
// Stored fields that are no arrays: labels, text, JSON.

#include <cstdint>

#include "formats/sample_table.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// The integer of a stored value: its number, or ASCII decimal with optional sign and surrounding white
/// space.
Result<std::int64_t> integer_of(const StoredValue& value);

/// `corrupt` for text and JSON that Python could not read.
Status check_syntax(FieldKind kind, ByteSpan bytes);

/// `corrupt` for a label, text or JSON that no loader could deliver; other kinds are not looked at.
Status check_value(FieldKind kind, const StoredValue& value);

/// Completes an error with the sample and field it belongs to.
Error at_sample(Error error, const SampleTable& table, std::uint64_t sample, std::size_t field);

}  // namespace penstock::inline v0
