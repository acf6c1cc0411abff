#include "formats/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNpyMagic = "\x93NUMPY"sv;

Error npy_damage(std::string what) {
  return {.kind = ErrorKind::corrupt,
          .message = "not an .npy file, or a damaged one: " + std::move(what),
          .place = {.stage = "decode"}};
}

Error npy_unsupported(std::string what, std::string advice) {
  return {.kind = ErrorKind::unsupported,
          .message = std::move(what),
          .advice = std::move(advice),
          .place = {.stage = "decode"}};
}

/// The literal of a Python dict, as much of it as numpy writes.
class NpyDictionary {
 public:
  explicit NpyDictionary(std::string_view text) noexcept : text_(text) {}

  /// Skips white space, then `token`; false if something else stands there.
  bool take(std::string_view token) noexcept {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n\r"), text_.size()));
    if (!text_.starts_with(token)) {
      return false;
    }
    text_.remove_prefix(token.size());
    return true;
  }
  bool at_end() noexcept { return take("") && text_.empty(); }

  /// Between quotes, without escapes.
  std::optional<std::string_view> text() noexcept {
    for (const std::string_view quote : {"'"sv, "\""sv}) {
      if (take(quote)) {
        const std::size_t end = text_.find(quote);
        if (end == std::string_view::npos) {
          return {};
        }
        const std::string_view inside = text_.substr(0, end);
        text_.remove_prefix(end + 1);
        return inside;
      }
    }
    return {};
  }

  std::optional<std::size_t> whole() noexcept {
    take("");
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) {
      return {};
    }
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    take("L");  // Python 2 wrote its long numbers so
    return value;
  }

  bool next_is(char letter) noexcept { return take("") && text_.starts_with(letter); }

 private:
  std::string_view text_;
};

struct NamedType {
  std::string_view name;
  Scalar type;
};
constexpr std::array kTypes = {
    NamedType{"b1", Scalar::boolean}, NamedType{"u1", Scalar::uint8},   NamedType{"i1", Scalar::int8},
    NamedType{"i2", Scalar::int16},   NamedType{"i4", Scalar::int32},   NamedType{"i8", Scalar::int64},
    NamedType{"u2", Scalar::uint16},  NamedType{"u4", Scalar::uint32},  NamedType{"u8", Scalar::uint64},
    NamedType{"f2", Scalar::float16}, NamedType{"f4", Scalar::float32}, NamedType{"f8", Scalar::float64}};

Result<Scalar> type_of(std::string_view descr) {
  const std::string_view name = descr.substr(std::min<std::size_t>(descr.size(), 1));
  if (descr == "|O" || name == "O") {
    return npy_unsupported(
        "an array of Python objects, which only unpickling could read: penstock never does",
        "save arrays of numbers, or leave the field out (fields=)");
  }
  for (const NamedType& known : kTypes) {
    if (known.name != name) {
      continue;
    }
    if (descr[0] == '>' && size_of(known.type) > 1) {
      return npy_unsupported(
          fmt::format("an array of big-endian numbers ('{}')", printable(descr)),
          fmt::format("save it as '<{}': array.astype(array.dtype.newbyteorder('<'))", name));
    }
    if (descr[0] == '<' || descr[0] == '|' || descr[0] == '=' || descr[0] == '>') {
      return known.type;
    }
  }
  return npy_unsupported(
      fmt::format("an array of type '{}'", printable(descr, 40)),
      "bool, integers and floats of up to 64 bits can be read; leave the field out (fields=)");
}

Result<std::vector<std::size_t>> shape_of(NpyDictionary& dictionary) {
  std::vector<std::size_t> shape;
  if (!dictionary.take("(")) {
    return npy_damage("its shape is no tuple");
  }
  while (!dictionary.take(")")) {  // numpy ends a tuple of one with a comma, others without
    const auto extent = dictionary.whole();
    if (!extent || *extent == kAnyExtent) {
      return npy_damage("its shape is no tuple of numbers");
    }
    if (shape.size() == kMaxDimensions) {
      return npy_unsupported(fmt::format("an array of more than {} dimensions", kMaxDimensions), "");
    }
    shape.push_back(*extent);
    if (!dictionary.take(",") && !dictionary.next_is(')')) {
      return npy_damage("its shape does not end");
    }
  }
  return shape;
}

Result<NpyHeader> header_in(std::string_view text) {
  NpyDictionary dictionary(text);
  NpyHeader header;
  bool has_type = false;
  bool has_order = false;
  bool has_shape = false;
  if (!dictionary.take("{")) {
    return npy_damage("its header is no dictionary");
  }
  while (!dictionary.take("}")) {
    const auto key = dictionary.text();
    if (!key || !dictionary.take(":")) {
      return npy_damage("its header is no dictionary");
    }
    if (*key == "descr") {
      const auto descr = dictionary.text();
      if (!descr) {
        return npy_unsupported("an array of structures", "save each of their members by itself");
      }
      PENSTOCK_ASSIGN(header.array.type, type_of(*descr));
      has_type = true;
    } else if (*key == "fortran_order") {
      header.fortran = dictionary.take("True");
      if (!header.fortran && !dictionary.take("False")) {
        return npy_damage("its header does not say in which order the elements are");
      }
      has_order = true;
    } else if (*key == "shape") {
      PENSTOCK_ASSIGN(header.array.shape, shape_of(dictionary));
      has_shape = true;
    } else {
      return npy_damage("its header has an entry of another name");
    }
    if (!dictionary.take(",") && !dictionary.next_is('}')) {
      return npy_damage("its header does not end");
    }
  }
  if (!dictionary.at_end() || !has_type || !has_order || !has_shape) {
    return npy_damage("its header is not complete");
  }
  return header;
}

}  // namespace

Result<NpyHeader> read_npy_header(ByteSpan start, std::uint64_t size) {
  constexpr std::size_t kBeforeLength = 8;
  const auto* const text = reinterpret_cast<const char*>(start.data());
  if (start.size() < kBeforeLength + 2 || std::string_view(text, kNpyMagic.size()) != kNpyMagic) {
    return npy_damage("it does not start like one");
  }
  const unsigned version = start[kNpyMagic.size()];
  if (version < 1 || version > 3 || start[kNpyMagic.size() + 1] != 0) {
    return npy_unsupported(fmt::format("an .npy file of version {}.{}", version, start[kNpyMagic.size() + 1]),
                           "versions 1.0, 2.0 and 3.0 can be read");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t begin = kBeforeLength + length_bytes;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes && kBeforeLength + i < start.size(); ++i) {
    length |= std::uint64_t{start[kBeforeLength + i]} << (8 * i);
  }
  if (length > kMaxNpyHeader) {
    return npy_unsupported(
        fmt::format("an .npy header of {} bytes, more than the {} that are accepted", length, kMaxNpyHeader),
        "save arrays of numbers");
  }
  if (start.size() < begin + length) {
    return npy_damage("it ends within its header");
  }
  PENSTOCK_ASSIGN(NpyHeader header, header_in({text + begin, static_cast<std::size_t>(length)}));
  header.begin = begin + length;
  const std::size_t bytes = header.array.bytes();
  if (bytes == std::numeric_limits<std::size_t>::max() || size - header.begin != bytes) {
    return npy_damage(fmt::format("{} bytes after its header, where {} needs {}", size - header.begin,
                                  header.array.to_string(), bytes));
  }
  return header;
}

void copy_npy(const NpyHeader& header, ByteSpan file, std::uint8_t* out) noexcept {
  const std::uint8_t* const data = file.data() + header.begin;
  const std::size_t bytes = header.array.bytes();
  const std::vector<std::size_t>& shape = header.array.shape;
  if (bytes == 0) {
    return;
  }
  if (!header.fortran || shape.size() < 2) {
    std::memcpy(out, data, bytes);
    return;
  }
  // Element by element: `at` counts the places of C order, whose last dimension is the fastest.
  const std::size_t element = size_of(header.array.type);
  std::array<std::size_t, kMaxDimensions> stride{};
  std::array<std::size_t, kMaxDimensions> at{};
  std::size_t step = element;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    stride[d] = step;
    step *= shape[d];
  }
  std::size_t from = 0;
  for (std::size_t written = 0; written < bytes; written += element) {
    std::memcpy(out + written, data + from, element);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += stride[d];
      if (++at[d] < shape[d]) {
        break;
      }
      from -= stride[d] * shape[d];
      at[d] = 0;
    }
  }
}

}  // namespace penstock::inline v0
