#include "codecs/repacked/tables.hpp"

#include <algorithm>
#include <cstring>

#include "codecs/repacked/bytes.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::array<std::uint8_t, 4> kTablesMagic = {'P', 'N', 'R', 'T'};
constexpr std::uint8_t kTablesVersion = 1;
constexpr std::size_t kStartSize = 12;
constexpr std::size_t kCodes = std::size_t{detail::kParts} * detail::kClasses * detail::kVariants;
constexpr std::size_t kLengthBytes = kCodes * 128;

unsigned reversed(unsigned code, unsigned length) {
  unsigned result = 0;
  for (unsigned bit = 0; bit < length; ++bit) {
    result |= (code >> bit & 1u) << (length - 1 - bit);
  }
  return result;
}

}  // namespace

bool detail::CodeTable::build(const CodeLengths& given) {
  std::array<unsigned, kMaxCodeBits + 2> count{};
  for (const std::uint8_t length : given) {
    if (length == 0 || length > kMaxCodeBits) {
      return false;
    }
    ++count[length];
  }
  std::array<unsigned, kMaxCodeBits + 2> next{};
  for (std::size_t length = 1; length <= kMaxCodeBits; ++length) {
    next[length + 1] = (next[length] + count[length]) << 1;
  }
  if (next[kMaxCodeBits + 1] != 1u << (kMaxCodeBits + 1)) {
    return false;
  }
  lengths = given;
  shortest = static_cast<std::uint8_t>(std::min_element(lengths.begin(), lengths.end()) - lengths.begin());
  for (std::size_t symbol = 0; symbol < 256; ++symbol) {
    const unsigned length = lengths[symbol];
    const unsigned code = reversed(next[length]++, length);
    codes[symbol] = static_cast<std::uint16_t>(code);
    for (std::size_t i = code; i < lookup.size(); i += std::size_t{1} << length) {
      lookup[i] = static_cast<std::uint16_t>(length | symbol << 8);
    }
  }
  return true;
}

std::shared_ptr<const RepackTables> RepackTables::make(const Lengths& lengths,
                                                       std::vector<std::uint8_t> dictionary) {
  std::shared_ptr<RepackTables> tables(new RepackTables);
  tables->codes_.resize(kCodes);
  auto code = tables->codes_.begin();
  for (const auto& part : lengths) {
    for (const auto& symbol_class : part) {
      for (const auto& variant : symbol_class) {
        if (!(code++)->build(variant)) {
          return nullptr;
        }
      }
    }
  }
  tables->dictionary_ = std::move(dictionary);
  return tables;
}

Result<std::shared_ptr<const RepackTables>> parse_repack_tables(ByteSpan bytes) {
  const auto corrupt = [](const char* message) { return detail::decode_error(ErrorKind::corrupt, message); };
  if (bytes.size() < kStartSize || std::memcmp(bytes.data(), kTablesMagic.data(), kTablesMagic.size()) != 0) {
    return corrupt("these are not the code tables of repacked images");
  }
  if (bytes[4] != kTablesVersion) {
    return detail::decode_error(
        ErrorKind::unsupported,
        fmt::format("code tables of version {}; this version of penstock reads version {}", bytes[4],
                    kTablesVersion),
        "use a newer version of penstock");
  }
  const std::size_t dictionary_size = detail::load_32(bytes.data() + 8);
  if (dictionary_size > RepackTables::kMaxDictionary ||
      bytes.size() != kStartSize + kLengthBytes + dictionary_size) {
    return corrupt("the code tables of repacked images have a wrong size");
  }
  auto lengths = std::make_unique<RepackTables::Lengths>();
  const std::uint8_t* at = bytes.data() + kStartSize;
  for (auto& part : *lengths) {
    for (auto& symbol_class : part) {
      for (auto& variant : symbol_class) {
        for (std::size_t i = 0; i < 256; i += 2, ++at) {
          variant[i] = *at & 15;
          variant[i + 1] = *at >> 4;
        }
      }
    }
  }
  auto tables = RepackTables::make(*lengths, {at, at + dictionary_size});
  if (!tables) {
    return corrupt("the code tables of repacked images are damaged");
  }
  return tables;
}

std::vector<std::uint8_t> serialise(const RepackTables& tables) {
  std::vector<std::uint8_t> out(kTablesMagic.begin(), kTablesMagic.end());
  out.push_back(kTablesVersion);
  out.insert(out.end(), 3, 0);
  const ByteSpan dictionary = tables.dictionary();
  detail::append_32(out, static_cast<std::uint32_t>(dictionary.size()));
  for (int part = 0; part < detail::kParts; ++part) {
    for (int symbol_class = 0; symbol_class < detail::kClasses; ++symbol_class) {
      for (int variant = 0; variant < detail::kVariants; ++variant) {
        const auto& lengths = tables.code(part, symbol_class, variant).lengths;
        for (std::size_t i = 0; i < 256; i += 2) {
          out.push_back(static_cast<std::uint8_t>(lengths[i] | lengths[i + 1] << 4));
        }
      }
    }
  }
  out.insert(out.end(), dictionary.begin(), dictionary.end());
  return out;
}

}  // namespace penstock::inline v0
