#pragma once
// The tables that records share: prefix codes by part, class and variant, and the dictionary of headers.

#include <array>
#include <cstdint>
#include <vector>

#include "codecs/repacked.hpp"
#include "codecs/repacked/code_lengths.hpp"
#include "codecs/repacked/layout.hpp"

namespace penstock::inline v0 {
namespace detail {

struct CodeTable {
  CodeLengths lengths{};
  std::array<std::uint16_t, 256> codes{};  ///< first bit lowest
  /// By the next kMaxCodeBits bits: length, and the symbol in the high byte.
  std::array<std::uint16_t, 1 << kMaxCodeBits> lookup{};
  std::uint8_t shortest = 0;  ///< the symbol that fills up rounds

  /// False unless the lengths are those of a complete code.
  bool build(const CodeLengths& given);
};

}  // namespace detail

class RepackTables {
 public:
  using Lengths = std::array<std::array<std::array<detail::CodeLengths, detail::kVariants>, detail::kClasses>,
                             detail::kParts>;
  static constexpr std::size_t kMaxDictionary = 1u << 20;

  /// Null unless all lengths are those of complete codes.
  static std::shared_ptr<const RepackTables> make(const Lengths& lengths,
                                                  std::vector<std::uint8_t> dictionary);

  const detail::CodeTable& code(int part, int symbol_class, int variant) const {
    return codes_[static_cast<std::size_t>((part * detail::kClasses + symbol_class) * detail::kVariants +
                                           variant)];
  }
  /// What packed headers may refer to.
  ByteSpan dictionary() const { return dictionary_; }

 private:
  RepackTables() = default;
  std::vector<detail::CodeTable> codes_;
  std::vector<std::uint8_t> dictionary_;
};

}  // namespace penstock::inline v0
