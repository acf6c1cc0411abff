#include "transforms/passes.hpp"

namespace penstock::inline v0 {
namespace {

Pass whole(ImageSize image) {
  const Rect all{0, 0, image.width, image.height};
  Pass pass;
  pass.input = pass.output = image;
  pass.box = pass.keep = all;
  return pass;
}

bool changes_nothing(ImageSize image, const ImageEdit& edit) {
  if (const auto* crop = std::get_if<CropEdit>(&edit)) {
    return crop->box == Rect{0, 0, image.width, image.height};
  }
  if (const auto* resize = std::get_if<ResizeEdit>(&edit)) {
    return resize->size == image;  // Pillow copies the image
  }
  return false;
}

// Puts the edit into the pass if the result is the same as that of one after the other.
bool absorb(Pass& pass, const ImageEdit& edit) {
  if (pass.kind != Pass::Kind::boxes) {
    return false;
  }
  if (std::holds_alternative<FlipEdit>(edit)) {
    pass.flip = !pass.flip;
    return true;
  }
  if (const auto* crop = std::get_if<CropEdit>(&edit)) {
    const Rect& c = crop->box;
    const int x = pass.flip ? pass.keep.width - c.x - c.width : c.x;
    pass.keep = {pass.keep.x + x, pass.keep.y + c.y, c.width, c.height};
    pass.output = {c.width, c.height};
    return true;
  }
  if (const auto* resize = std::get_if<ResizeEdit>(&edit)) {
    // A mirrored image resizes to something else than the mirrored result: rounding is not symmetric.
    if (pass.resize || pass.flip) {
      return false;
    }
    pass.box = {pass.box.x + pass.keep.x, pass.box.y + pass.keep.y, pass.keep.width, pass.keep.height};
    pass.resize = *resize;
    pass.keep = {0, 0, resize->size.width, resize->size.height};
    pass.output = resize->size;
    return true;
  }
  return false;
}

Pass::Kind kind_of(const ImageEdit& edit) {
  if (std::holds_alternative<TableEdit>(edit)) {
    return Pass::Kind::tables;
  }
  return std::holds_alternative<PixelsEdit>(edit) ? Pass::Kind::pixels : Pass::Kind::moved;
}

bool is_of_boxes(const ImageEdit& edit) {
  return std::holds_alternative<CropEdit>(edit) || std::holds_alternative<ResizeEdit>(edit) ||
         std::holds_alternative<FlipEdit>(edit);
}

}  // namespace

void plan_passes(ImageSize image, const ImageEdits& edits, bool fuse, std::vector<Pass>& passes) {
  passes.clear();
  passes.push_back(whole(image));
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const ImageEdit& edit = edits[i];
    const ImageSize size = passes.back().output;
    if (!is_of_pixels(edit) || changes_nothing(size, edit)) {
      continue;
    }
    if (is_of_boxes(edit)) {
      if (!fuse || !absorb(passes.back(), edit)) {
        passes.push_back(whole(size));
        absorb(passes.back(), edit);
      }
      continue;
    }
    Pass& last = passes.back();
    const Pass::Kind kind = kind_of(edit);
    if (fuse && kind == Pass::Kind::tables && last.kind == kind && last.first + last.count == i) {
      ++last.count;
      continue;
    }
    Pass pass = whole(size);
    pass.kind = kind;
    pass.output = size_after(size, edit);
    pass.first = i;
    pass.count = 1;
    passes.push_back(pass);
  }
}

}  // namespace penstock::inline v0
