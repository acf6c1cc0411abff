#pragma once
// The objects of an HDF5 file: its root group, and the messages that describe an object.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/hdf5_bytes.hpp"
#include "penstock/result.hpp"

namespace penstock {

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

/// Whether these are the first bytes of an HDF5 file.
bool is_hdf5(ByteSpan start) noexcept;

/// Addresses of the headers of what lies in the root group, by name.
Result<std::map<std::string, std::uint64_t>> hdf5_root_group(const Hdf5Bytes& file);

}  // namespace penstock
