#include "formats/hdf5_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();

/// What the messages of a data set say, before it is known where its rows are.
struct Description {
  std::vector<std::uint64_t> shape;
  bool has_type = false;
  ByteSpan layout;
};

Error unsupported(const std::string& name, const std::string& what) {
  return hdf5_unsupported(fmt::format("the data set {} {}", name, what));
}

Error contradiction(const std::string& name, const char* what, std::uint64_t header) {
  return hdf5_damage(fmt::format("the data set {} {}", name, what), header);
}

/// h5py shows the fill value there; as samples they would be silence with a valid label.
Error never_written(const std::string& name) { return unsupported(name, "has rows that were never written"); }

Result<std::vector<std::uint64_t>> read_shape(ByteSpan body, const std::string& name, std::uint64_t header) {
  constexpr unsigned kNoElements = 2;
  Hdf5Cursor cursor(body);
  const unsigned version = cursor.byte();
  const unsigned rank = cursor.byte();
  cursor.skip(1);
  const bool null = version == 2 && cursor.byte() == kNoElements;
  cursor.skip(version == 1 ? 1 + 4 : 0);
  std::vector<std::uint64_t> shape;
  for (unsigned axis = 0; axis < rank; ++axis) {
    shape.push_back(cursor.word());
  }
  if (!cursor.ok() || version == 0 || version > 2) {
    return contradiction(name, "has no shape", header);
  }
  if (null) {
    return unsupported(name, "has a type but no values (h5py.Empty)");
  }
  if (rank == 0) {
    return unsupported(name, "is a single value, not a list of rows");
  }
  if (rank > kMaxDimensions) {
    return unsupported(name, fmt::format("has {} axes", rank));
  }
  return shape;
}

Result<Description> describe(const std::vector<Hdf5Message>& messages, const std::string& name,
                             std::uint64_t header, Hdf5Set& set) {
  Description found;
  for (const Hdf5Message& message : messages) {
    const bool matters = message.type == Hdf5Message::dataspace || message.type == Hdf5Message::datatype ||
                         message.type == Hdf5Message::layout || message.type == Hdf5Message::filters;
    if (matters && message.shared) {
      return unsupported(name, "shares its description with others");
    }
    if (message.type == Hdf5Message::dataspace) {
      PENSTOCK_ASSIGN(found.shape, read_shape(message.body, name, header));
    } else if (message.type == Hdf5Message::datatype) {
      PENSTOCK_ASSIGN(set.type, read_hdf5_type(message.body, name));
      found.has_type = true;
    } else if (message.type == Hdf5Message::layout) {
      found.layout = message.body;
    } else if (message.type == Hdf5Message::filters && message.body.size() > 1 && message.body[1] > 0) {
      return unsupported(name, "is compressed or passed through another filter");
    } else if (message.type == Hdf5Message::external_files) {
      return unsupported(name, "has its bytes in other files");
    } else if (message.type == Hdf5Message::symbol_table || message.type == Hdf5Message::link_info) {
      return unsupported(name, "is a group, not a data set");
    }
  }
  if (found.shape.empty() || !found.has_type || found.layout.empty()) {
    return contradiction(name, "is not a data set", header);
  }
  return found;
}

/// Rows, and what a row is, none of it larger than the numbers can hold.
Status set_sizes(const Description& description, const std::string& name, std::uint64_t header,
                 Hdf5Set& set) {
  set.rows = description.shape.front();
  set.row_bytes = set.type.bytes;
  for (std::size_t axis = 1; axis < description.shape.size(); ++axis) {
    const std::uint64_t extent = description.shape[axis];
    if (extent > kMax / std::max<std::uint64_t>(set.row_bytes, 1)) {
      return contradiction(name, "has rows larger than any memory", header);
    }
    set.row_bytes *= extent;
    set.row_shape.push_back(static_cast<std::size_t>(extent));
  }
  if (set.row_bytes == 0) {
    return unsupported(name, "has empty rows");
  }
  if (set.rows > kMax / set.row_bytes) {
    return contradiction(name, "is larger than any file", header);
  }
  return {};
}

/// Chunks are cut along the first axis only, so that a row lies in one piece.
Result<Hdf5Chunks> read_chunked(Hdf5Cursor cursor, unsigned version, const Description& description,
                                const std::string& name, const Hdf5Set& set) {
  Hdf5Chunks chunks{.rank = description.shape.size()};
  const unsigned flags = version >= 4 ? cursor.byte() : 0;
  const unsigned dimensions = cursor.byte();
  chunks.address = version >= 4 ? kHdf5Nowhere : cursor.word();
  const std::size_t width = version >= 4 ? cursor.byte() : 4;
  if (width > 8 || dimensions != chunks.rank + 1) {
    return unsupported(name, "has chunks with a different number of axes");
  }
  for (std::size_t axis = 0; axis < chunks.rank; ++axis) {
    const std::uint64_t extent = cursor.number(width);
    if (axis == 0) {
      chunks.chunk_rows = extent;
    } else if (extent != description.shape[axis]) {
      return unsupported(name, "has chunks that hold parts of rows");
    }
  }
  cursor.skip(width);
  if (version >= 4) {
    const unsigned index = cursor.byte();
    if (index < 1 || index > 3 || (index == 1 && (flags & 2) != 0)) {
      return unsupported(name, "is resizable (maxshape), so its chunks are indexed in another way");
    }
    chunks.index = static_cast<Hdf5Chunks::Index>(index);
    cursor.skip(chunks.index == Hdf5Chunks::Index::fixed_array ? 1 : 0);
    chunks.address = cursor.word();
  } else {
    chunks.index = Hdf5Chunks::Index::old_tree;
  }
  if (!cursor.ok() || chunks.chunk_rows == 0) {
    return unsupported(name, "has chunks of no rows");
  }
  chunks.count = set.rows / chunks.chunk_rows + (set.rows % chunks.chunk_rows != 0 ? 1 : 0);
  return chunks;
}

Status find_rows(const Hdf5Bytes& file, const Description& description, const std::string& name,
                 std::uint64_t header, Hdf5Set& set) {
  constexpr unsigned kContiguous = 1;
  constexpr unsigned kChunked = 2;
  Hdf5Cursor cursor(description.layout);
  const unsigned version = cursor.byte();
  const unsigned layout = cursor.byte();
  if (version < 3 || version > 4 || (layout != kContiguous && layout != kChunked)) {
    return unsupported(name, "is stored in a way that cannot be read in place");
  }
  set.chunk_rows = set.rows;
  if (layout == kContiguous) {
    set.chunks = {cursor.word()};
  } else {
    PENSTOCK_ASSIGN(const Hdf5Chunks chunks, read_chunked(cursor, version, description, name, set));
    if (chunks.index == Hdf5Chunks::Index::implicit) {
      set.chunks = {chunks.address};  // one after the other
    } else if (set.rows > 0) {
      if (chunks.address == kHdf5Nowhere) {
        return never_written(name);
      }
      set.chunk_rows = chunks.chunk_rows;
      PENSTOCK_ASSIGN(set.chunks, find_hdf5_chunks(file, chunks));
      if (set.chunks.size() != chunks.count) {
        return contradiction(name, "has too few chunks", header);
      }
    }
  }
  // Chunks that lie over each other would give more rows than the file has bytes for.
  if (set.rows * set.row_bytes > file.size()) {
    return contradiction(name, "is larger than the file", header);
  }
  std::uint64_t left = set.rows;
  for (const std::uint64_t chunk : set.chunks) {
    const std::uint64_t rows = std::min(left, set.chunk_rows);
    if (rows > 0 && chunk == kHdf5Nowhere) {
      return never_written(name);
    }
    if (rows > 0) {
      PENSTOCK_TRY(file.check(chunk, rows * set.row_bytes));
    }
    left -= rows;
  }
  return {};
}

}  // namespace

Result<Hdf5Set> find_hdf5_set(const Hdf5Bytes& file, const std::string& name, std::uint64_t header) {
  PENSTOCK_ASSIGN(const std::vector<Hdf5Message> messages, hdf5_messages(file, header));
  Hdf5Set set;
  PENSTOCK_ASSIGN(const Description description, describe(messages, name, header, set));
  PENSTOCK_TRY(set_sizes(description, name, header, set));
  PENSTOCK_TRY(find_rows(file, description, name, header, set));
  return set;
}

}  // namespace penstock::inline v0
