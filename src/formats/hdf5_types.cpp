#include "formats/hdf5_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace penstock::inline v0 {
namespace {

using Kind = Hdf5Type::Kind;

enum TypeClass : unsigned { whole = 0, real = 1, text = 3, enumeration = 8, any_length = 9 };

const char* name_of_other(unsigned type_class) noexcept {
  switch (type_class) {
    case 2:
      return "times";
    case 4:
      return "bit fields";
    case 5:
      return "opaque bytes";
    case 6:
      return "records (complex numbers are stored as such)";
    case 7:
      return "references";
    case 10:
      return "arrays as elements";
    default:
      return "values of an unknown type";
  }
}

/// What stands in front of the details of every type.
struct Head {
  unsigned type_class = 0;
  unsigned bits = 0;
  std::uint64_t size = 0;
};

Head read_head(Hdf5Cursor& cursor) noexcept {
  Head head;
  head.type_class = cursor.byte() & 15U;
  head.bits = static_cast<unsigned>(cursor.number(3));
  head.size = cursor.number(4);
  return head;
}

Error unsupported_type(const std::string& data_set, std::string_view what) {
  return hdf5_unsupported(fmt::format("the data set {} holds {}, which is not read", data_set, what));
}

/// The first name of an enumeration, whose base type is of whole numbers.
bool is_boolean(Hdf5Cursor details) noexcept {
  details.skip(8 + 4);
  return details.says(std::string_view("FALSE\0", 6));  // as h5py writes numpy.bool_
}

}  // namespace

std::optional<Scalar> Hdf5Type::scalar() const noexcept {
  struct Known {
    Kind kind;
    std::uint64_t bytes;
    Scalar scalar;
  };
  constexpr std::array kKnown = {
      Known{Kind::boolean, 1, Scalar::boolean},    Known{Kind::unsigned_whole, 1, Scalar::uint8},
      Known{Kind::signed_whole, 1, Scalar::int8},  Known{Kind::signed_whole, 2, Scalar::int16},
      Known{Kind::signed_whole, 4, Scalar::int32}, Known{Kind::signed_whole, 8, Scalar::int64},
      Known{Kind::real, 2, Scalar::float16},       Known{Kind::real, 4, Scalar::float32},
      Known{Kind::real, 8, Scalar::float64}};
  const auto* const found = std::find_if(kKnown.begin(), kKnown.end(), [this](const Known& known) {
    return known.kind == kind && known.bytes == bytes;
  });
  return found == kKnown.end() ? std::nullopt : std::optional(found->scalar);
}

std::string Hdf5Type::name() const {
  switch (kind) {
    case Kind::boolean:
      return "bool";
    case Kind::signed_whole:
      return fmt::format("int{}", 8 * bytes);
    case Kind::unsigned_whole:
      return fmt::format("uint{}", 8 * bytes);
    case Kind::real:
      return fmt::format("float{}", 8 * bytes);
    case Kind::text:
      break;
  }
  return fmt::format("text of {} bytes", bytes);
}

Result<Hdf5Type> read_hdf5_type(ByteSpan message, const std::string& data_set) {
  Hdf5Cursor cursor(message);
  const Head outer = read_head(cursor);
  const bool named = outer.type_class == TypeClass::enumeration;
  const bool boolean = named && outer.size == 1 && (outer.bits & 0xFFFFU) == 2 && is_boolean(cursor);
  const Head head = named ? read_head(cursor) : outer;
  const std::uint64_t offset = cursor.number(2);
  const std::uint64_t precision = cursor.number(2);
  Hdf5Type type{.kind = Kind::text, .bytes = head.size};
  switch (head.type_class) {
    case TypeClass::text:
      return (head.bits & 15U) == 2
                 ? Result<Hdf5Type>(unsupported_type(data_set, "text that is padded with spaces"))
                 : Result<Hdf5Type>(type);
    case TypeClass::any_length:
      return unsupported_type(data_set, (head.bits & 15U) == 1 ? "text of any length" : "rows of any length");
    case TypeClass::whole:
      type.kind = (head.bits & 8U) != 0 ? Kind::signed_whole : Kind::unsigned_whole;
      break;
    case TypeClass::real:
      type.kind = Kind::real;
      break;
    default:
      return unsupported_type(data_set, name_of_other(head.type_class));
  }
  if ((head.bits & 1U) != 0) {
    return unsupported_type(data_set, "big-endian " + type.name());
  }
  bool plain = offset == 0 && precision == head.size * 8;
  if (type.kind == Kind::real) {
    const unsigned exponent_at = cursor.byte();
    const unsigned exponent = cursor.byte();
    const unsigned mantissa_at = cursor.byte();
    const unsigned mantissa = cursor.byte();
    plain = plain && mantissa_at == 0 && exponent_at == mantissa &&
            ((head.size == 2 && exponent == 5) || (head.size == 4 && exponent == 8) ||
             (head.size == 8 && exponent == 11));
  } else {
    plain = plain && (head.size == 1 || head.size == 2 || head.size == 4 || head.size == 8);
  }
  if (!plain) {
    return unsupported_type(
        data_set, fmt::format("numbers of {} bytes, of a type that numpy does not have", head.size));
  }
  type.kind = boolean ? Kind::boolean : type.kind;
  return type;
}

}  // namespace penstock::inline v0
