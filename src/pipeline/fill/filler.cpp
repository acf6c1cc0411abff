#include "pipeline/fill/filler.hpp"

#include <fmt/format.h>

#include "core/out_of_memory.hpp"

namespace penstock::inline v0 {

Error from_exception(const char* problem) {
  return Error{.kind = ErrorKind::io,
               .message = std::string("unexpected failure: ") + problem,
               .advice = {},
               .place = {.stage = "work"}};
}

void* Filler::room(const RowTask& task, std::size_t column, const Extents& shape) {
  Column& filled = column_of(task.storage, column);
  if (!filled.ragged()) {
    return static_cast<std::uint8_t*>(filled.data) + task.row * filled.row_bytes;
  }
  return room(task, column, shape, filled.spec.type);
}

void* Filler::room(const RowTask& task, std::size_t column, const Extents& shape, Scalar type) {
  const std::size_t bytes = shape.elements() * size_of(type);
  Slab piece;
  try {
    piece = pool().acquire(bytes);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("a row of '{}'", column_of(task.storage, column).field.name), bytes,
                      "use a smaller batch_size, prefetch or images");
  }
  void* const memory = piece.data();
  place(task.storage, column, task.row, piece, 0, shape);
  column_of(task.storage, column).rows[task.row].type = type;
  return memory;
}

void Filler::place(BatchStorage& storage, std::size_t column, std::size_t row, const Slab& piece,
                   std::size_t offset, const Extents& shape) {
  Column& placed = column_of(storage, column);
  placed.rows[row] = {.data = piece.data() + offset, .shape = shape, .type = placed.spec.type};
  piece_of(storage, column, row) = piece;
}

}  // namespace penstock::inline v0
