#pragma once
// Images that are turned, as EXIF says of their files, while they are read.

#include <optional>

#include "codecs/image_decoder.hpp"
#include "core/scratch.hpp"
#include "transforms/kernels/warp.hpp"

namespace penstock::inline v0 {

/// How an image of this orientation is turned, as Pillow's exif_transpose does it; nothing for 1.
constexpr std::optional<Move> upright_move(int orientation) noexcept {
  constexpr std::array kMoves = {Move::mirror,   Move::turn_180,   Move::flip,   Move::transpose,
                                 Move::turn_270, Move::transverse, Move::turn_90};
  return orientation < 2 || orientation > 8
             ? std::nullopt
             : std::optional(kMoves[static_cast<std::size_t>(orientation - 2)]);
}

/// Reads boxes of an image that lies on its side where it is stored. Keeps its memory; one per worker and
/// image that is read at a time.
class UprightReader {
 public:
  /// Of an image of this size as it is stored. Returns the size that it has upright.
  ImageSize begin(ImageSize stored, int orientation) noexcept;
  /// Writes a box of the upright image. `decode(box, view)` does so for the stored one.
  template <class Decode>
  Status read(const Rect& box, const PixelView& out, Decode&& decode) {
    if (!move_) {
      return decode(box, out);
    }
    const Rect part = stored_part(box);
    PENSTOCK_TRY(decode(part, room_for(part, out)));
    turn(part, out);
    return {};
  }

 private:
  Rect stored_part(const Rect& box) const noexcept;
  PixelView room_for(const Rect& part, const PixelView& like);
  void turn(const Rect& part, const PixelView& out);

  ImageSize stored_;
  std::optional<Move> move_;
  Scratch pixels_;
};

}  // namespace penstock::inline v0
