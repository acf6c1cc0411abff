#pragma once
// Whether stored text and JSON can be read by Python, without reading them: damage is found in the worker.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "formats/json_reader.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Deeper JSON is refused: Python's reader is recursive.
inline constexpr int kMaxJsonDepth = 500;
/// What a field of kind json may hold.
inline constexpr JsonRules kFieldJson{.max_depth = kMaxJsonDepth, .like_python = true};

/// A stored JSON document in UTF-8, as a JsonReader takes it.
struct JsonText {
  std::string_view text;
  std::size_t mark = 0;  ///< bytes of the byte order mark before it
  bool is_copy = false;  ///< the document is stored in UTF-16 or UTF-32

  /// Human-readable: "byte 12 of the json".
  std::string byte_in_words(std::size_t position) const;
};
/// Nothing if the document looks like UTF-16 or UTF-32 and is not. A copy lies in `memory`.
std::optional<JsonText> json_text(ByteSpan bytes, std::string& memory);

/// Nothing if `bytes` are UTF-8, else what is wrong.
std::optional<std::string> text_problem(ByteSpan bytes);
/// Nothing if Python's json.loads takes `bytes`: JSON with NaN and Infinity, in UTF-8, UTF-16 or UTF-32.
std::optional<std::string> json_problem(ByteSpan bytes);

}  // namespace penstock::inline v0
