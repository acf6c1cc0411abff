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
bool absorb(Pass& pass, const ImageEdit& edit, MirrorTest& mirrors) {
  if (pass.kind != Pass::Kind::boxes) {
    return false;
  }
  if (const auto* flip = std::get_if<FlipEdit>(&edit)) {
    bool& mirrored = flip->down ? pass.flip_down : pass.flip;
    mirrored = !mirrored;
    return true;
  }
  if (const auto* crop = std::get_if<CropEdit>(&edit)) {
    const Rect& c = crop->box;
    const int x = pass.flip ? pass.keep.width - c.x - c.width : c.x;
    const int y = pass.flip_down ? pass.keep.height - c.y - c.height : c.y;
    pass.keep = {pass.keep.x + x, pass.keep.y + y, c.width, c.height};
    pass.output = {c.width, c.height};
    return true;
  }
  if (const auto* resize = std::get_if<ResizeEdit>(&edit)) {
    const auto [size, filter] = *resize;
    if (pass.resize || (pass.flip && !mirrors.same(pass.keep.width, size.width, filter)) ||
        (pass.flip_down && !mirrors.same(pass.keep.height, size.height, filter))) {
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

bool MirrorTest::same(int in, int out, transforms::Interpolation filter) {
  if (in == out) {
    return true;  // no pass
  }
  if (!exact_ || filter == transforms::Interpolation::nearest) {
    return false;
  }
  compute_weights({in, out, filter, 0, out}, weights_);
  // Of input pixel `from` for output pixel `i`. A window may end with weights of 0 on one side alone.
  const auto weight = [&](int i, int from) {
    const auto& window = weights_.windows[static_cast<std::size_t>(i)];
    const int tap = from - window.first;
    return tap < 0 || tap >= window.count
               ? 0
               : weights_.weights[static_cast<std::size_t>(i) * static_cast<std::size_t>(weights_.stride) +
                                  static_cast<std::size_t>(tap)];
  };
  for (int i = 0; i < out; ++i) {
    const auto& window = weights_.windows[static_cast<std::size_t>(i)];
    for (int from = window.first; from < window.first + window.count; ++from) {
      if (weight(i, from) != weight(out - 1 - i, in - 1 - from)) {
        return false;
      }
    }
  }
  return true;
}

void plan_passes(ImageSize image, const ImageEdits& edits, Fuse fuse, MirrorTest& mirrors,
                 std::vector<Pass>& passes) {
  passes.clear();
  passes.push_back(whole(image));
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const ImageEdit& edit = edits[i];
    const ImageSize size = passes.back().output;
    if (!is_of_pixels(edit) || changes_nothing(size, edit)) {
      continue;
    }
    if (is_of_boxes(edit)) {
      if (fuse == Fuse::off || !absorb(passes.back(), edit, mirrors)) {
        passes.push_back(whole(size));
        absorb(passes.back(), edit, mirrors);
      }
      continue;
    }
    Pass& last = passes.back();
    const Pass::Kind kind = kind_of(edit);
    if (fuse != Fuse::off && kind == Pass::Kind::tables && last.kind == kind &&
        last.first + last.count == i) {
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
