#include <algorithm>

#include "formats/hdf5_sets.hpp"

namespace penstock::inline v0 {
namespace {

using Places = std::vector<std::uint64_t>;

/// Version 1 of trees, which files before 1.10 have.
class OldTree {
 public:
  OldTree(const Hdf5Bytes& file, const Hdf5Chunks& chunks) : file_(file), chunks_(chunks) {
    places_.resize(static_cast<std::size_t>(chunks.count), kHdf5Nowhere);
  }

  Status add(std::uint64_t address, unsigned parent_level) {
    constexpr std::uint64_t kHead = 4 + 1 + 1 + 2;
    constexpr std::uint64_t kSiblings = 8 + 8;
    PENSTOCK_ASSIGN(const ByteSpan head, file_.from(address, kHead));
    Hdf5Cursor cursor(head);
    if (!cursor.says("TREE") || cursor.byte() != 1) {
      return hdf5_damage("there is no node of chunks", address);
    }
    const unsigned level = cursor.byte();
    const std::uint64_t entries = cursor.number(2);
    // Levels fall, and no more entries are looked at than chunks can need: a hostile tree ends too.
    entries_ += entries;
    if (level >= parent_level || entries_ > 2 * chunks_.count + kMaxHdf5TreeDepth) {
      return hdf5_damage("the tree of chunks does not end", address);
    }
    const std::uint64_t entry_bytes = 4 + 4 + 8 + 8 * std::uint64_t{chunks_.rank} + 8;
    PENSTOCK_ASSIGN(const ByteSpan node, file_.from(address, kHead + kSiblings + entries * entry_bytes));
    cursor = Hdf5Cursor(node);
    cursor.skip(kHead + kSiblings);
    for (std::uint64_t i = 0; i < entries; ++i) {
      cursor.skip(4 + 4);
      const std::uint64_t row = cursor.word();
      cursor.skip(8 * chunks_.rank);
      const std::uint64_t child = cursor.word();
      if (!cursor.ok()) {
        return hdf5_damage("it ends within a node of chunks", address);
      }
      if (level > 0) {
        PENSTOCK_TRY(add(child, level));
      } else if (const std::uint64_t chunk = row / chunks_.chunk_rows;
                 chunk < chunks_.count && row % chunks_.chunk_rows == 0) {
        places_[static_cast<std::size_t>(chunk)] = child;
      }  // else: cut off when the data set became shorter
    }
    return {};
  }

  Places take() { return std::move(places_); }

 private:
  const Hdf5Bytes& file_;
  const Hdf5Chunks& chunks_;
  Places places_;
  std::uint64_t entries_ = 0;
};

/// Addresses one after the other, in pages with a checksum each where they are many.
Result<Places> read_fixed_array(const Hdf5Bytes& file, const Hdf5Chunks& chunks) {
  constexpr std::uint64_t kHeader = 28;
  constexpr std::uint64_t kSum = 4;
  constexpr std::uint64_t kEntry = 8;
  PENSTOCK_ASSIGN(const ByteSpan header, file.at(chunks.address, kHeader));
  Hdf5Cursor cursor(header);
  if (!cursor.says("FAHD") || !hdf5_sum_is_right(header)) {
    return hdf5_damage("the checksum of an index of chunks is wrong", chunks.address);
  }
  cursor.skip(1);
  const bool filtered = cursor.byte() != 0;
  const unsigned entry = cursor.byte();
  const unsigned page_bits = cursor.byte();
  const std::uint64_t entries = cursor.word();
  const std::uint64_t block = cursor.word();
  if (filtered || entry != kEntry || page_bits > 32 || entries < chunks.count || entries > file.size()) {
    return hdf5_damage("an index of chunks contradicts its data set", chunks.address);
  }
  const std::uint64_t page = std::uint64_t{1} << page_bits;
  const bool paged = entries > page;
  const std::uint64_t pages = paged ? (entries + page - 1) / page : 0;
  const std::uint64_t bitmap = (pages + 7) / 8;
  const std::uint64_t prefix = 4 + 1 + 1 + 8 + bitmap;
  PENSTOCK_ASSIGN(const ByteSpan start, file.at(block, prefix + (paged ? 0 : entries * kEntry) + kSum));
  if (!Hdf5Cursor(start).says("FADB") || !hdf5_sum_is_right(start)) {
    return hdf5_damage("the checksum of an index of chunks is wrong", block);
  }
  Places places;
  const auto add = [&places, &chunks](ByteSpan from) {
    for (Hdf5Cursor each(from); each.left() >= kEntry && places.size() < chunks.count;) {
      places.push_back(each.word());
    }
  };
  if (!paged) {
    add(start.subspan(static_cast<std::size_t>(prefix), static_cast<std::size_t>(entries * kEntry)));
    return places;
  }
  for (std::uint64_t p = 0, at = block + prefix + kSum; p < pages && places.size() < chunks.count; ++p) {
    const std::uint64_t size = std::min(page, entries - p * page) * kEntry + kSum;
    PENSTOCK_ASSIGN(const ByteSpan bytes, file.at(at, size));
    // A page of which no entry was ever written has no checksum either; its chunks are missing.
    if (!hdf5_sum_is_right(bytes)) {
      return hdf5_damage("the checksum of an index of chunks is wrong", at);
    }
    add(bytes.first(bytes.size() - kSum));
    at += size;
  }
  return places;
}

}  // namespace

Result<Places> find_hdf5_chunks(const Hdf5Bytes& file, const Hdf5Chunks& chunks) {
  // Every chunk has an entry of at least 8 bytes in its index.
  if (chunks.count > file.size()) {
    return hdf5_damage("it is too short for the chunks that it should have", file.size());
  }
  switch (chunks.index) {
    case Hdf5Chunks::Index::fixed_array:
      return read_fixed_array(file, chunks);
    case Hdf5Chunks::Index::old_tree: {
      OldTree tree(file, chunks);
      PENSTOCK_TRY(tree.add(chunks.address, kMaxHdf5TreeDepth));
      return tree.take();
    }
    case Hdf5Chunks::Index::single:
    case Hdf5Chunks::Index::implicit:
      break;
  }
  return Places{chunks.address};
}

}  // namespace penstock::inline v0
