#pragma once
// The objects of an HDF5 file: its root group, and the messages that describe an object.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/hdf5_bytes.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// What an object header says, one of its parts.
struct Hdf5Message {
  enum Type : std::uint16_t {
    dataspace = 1,
    link_info = 2,
    datatype = 3,
    link = 6,
    external_files = 7,
    layout = 8,
    filters = 11,
    continuation = 16,
    symbol_table = 17
  };
  std::uint16_t type = 0;
  bool shared = false;  ///< the body names another object that has it
  ByteSpan body;        ///< of the file
};

/// Of the object whose header is there, both versions of headers.
Result<std::vector<Hdf5Message>> hdf5_messages(const Hdf5Bytes& file, std::uint64_t header);

/// Where the file's superblock is: at its start, or behind a user block of 512 bytes or a doubling of that.
/// Nothing if there is none, or if the file begins as a tar does (its first member may be an HDF5 file).
Result<std::optional<std::uint64_t>> find_hdf5_start(const Source& file);

/// What a name of a group stands for.
struct Hdf5Link {
  enum class Kind : std::uint8_t { object, soft, other_file };
  Kind kind = Kind::object;
  std::uint64_t header = kHdf5Nowhere;  ///< of an object
  std::string target{};                 ///< of a soft link: another name
};

using Hdf5Group = std::map<std::string, Hdf5Link>;

/// What lies in the root group, by name.
Result<Hdf5Group> hdf5_root_group(const Hdf5Bytes& file);

/// The header of the object of that name, soft links within the group followed; nothing if there is no such
/// name. `unsupported` if its link leads out of the group.
Result<std::optional<std::uint64_t>> find_hdf5_object(const Hdf5Group& group, const std::string& name);

}  // namespace penstock::inline v0
