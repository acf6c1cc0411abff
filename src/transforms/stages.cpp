#include "transforms/stages.hpp"

namespace penstock::inline v0 {
namespace {

Stage whole(ImageSize image) {
  const Rect all{0, 0, image.width, image.height};
  return Stage{image, std::nullopt, all, std::nullopt, all, false};
}

bool changes_nothing(ImageSize image, const GeometryStep& step) {
  if (const auto* crop = std::get_if<CropStep>(&step)) {
    return crop->box == Rect{0, 0, image.width, image.height};
  }
  if (const auto* resize = std::get_if<ResizeStep>(&step)) {
    return resize->size == image;  // Pillow copies the image
  }
  return false;
}

// Puts the step into the stage if the result is the same as that of one after the other.
bool absorb(Stage& stage, const GeometryStep& step) {
  if (stage.pad) {
    return false;
  }
  if (std::holds_alternative<FlipStep>(step)) {
    stage.flip = !stage.flip;
    return true;
  }
  if (const auto* crop = std::get_if<CropStep>(&step)) {
    const Rect& c = crop->box;
    const int x = stage.flip ? stage.keep.width - c.x - c.width : c.x;
    stage.keep = {stage.keep.x + x, stage.keep.y + c.y, c.width, c.height};
    return true;
  }
  if (const auto* resize = std::get_if<ResizeStep>(&step)) {
    // A mirrored image resizes to something else than the mirrored result: rounding is not symmetric.
    if (stage.resize || stage.flip) {
      return false;
    }
    stage.box = {stage.box.x + stage.keep.x, stage.box.y + stage.keep.y, stage.keep.width, stage.keep.height};
    stage.resize = *resize;
    stage.keep = {0, 0, resize->size.width, resize->size.height};
    return true;
  }
  return false;
}

}  // namespace

ImageSize Stage::output() const { return pad ? size_after(input, *pad) : ImageSize{keep.width, keep.height}; }

void plan_stages(ImageSize image, const GeometrySteps& steps, bool fuse, std::vector<Stage>& stages) {
  stages.clear();
  stages.push_back(whole(image));
  bool open = fuse;  // whether the last stage may take another step
  for (const GeometryStep& step : steps) {
    const ImageSize size = stages.back().output();
    if (changes_nothing(size, step)) {
      continue;
    }
    if (open && absorb(stages.back(), step)) {
      continue;
    }
    stages.push_back(whole(size));
    if (const auto* pad = std::get_if<PadStep>(&step)) {
      stages.back().pad = *pad;
    } else {
      absorb(stages.back(), step);
    }
  }
  if (stages.back().pad) {
    stages.push_back(whole(stages.back().output()));
  }
}

}  // namespace penstock::inline v0
