#include "transforms/stages.hpp"

namespace penstock::inline v0 {
namespace {

Stage whole(ImageSize image) {
  const Rect all{0, 0, image.width, image.height};
  Stage stage;
  stage.input = stage.output = image;
  stage.box = stage.keep = all;
  return stage;
}

bool changes_nothing(ImageSize image, const ImageStep& step) {
  if (const auto* crop = std::get_if<CropStep>(&step)) {
    return crop->box == Rect{0, 0, image.width, image.height};
  }
  if (const auto* resize = std::get_if<ResizeStep>(&step)) {
    return resize->size == image;  // Pillow copies the image
  }
  return false;
}

// Puts the step into the stage if the result is the same as that of one after the other.
bool absorb(Stage& stage, const ImageStep& step) {
  if (stage.kind != Stage::Kind::boxes) {
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
    stage.output = {c.width, c.height};
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
    stage.output = resize->size;
    return true;
  }
  return false;
}

Stage::Kind kind_of(const ImageStep& step) {
  if (std::holds_alternative<TableStep>(step)) {
    return Stage::Kind::tables;
  }
  return std::holds_alternative<PixelsStep>(step) ? Stage::Kind::pixels : Stage::Kind::moved;
}

bool is_of_boxes(const ImageStep& step) {
  return std::holds_alternative<CropStep>(step) || std::holds_alternative<ResizeStep>(step) ||
         std::holds_alternative<FlipStep>(step);
}

}  // namespace

void plan_stages(ImageSize image, const ImageSteps& steps, bool fuse, std::vector<Stage>& stages) {
  stages.clear();
  stages.push_back(whole(image));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ImageStep& step = steps[i];
    const ImageSize size = stages.back().output;
    if (std::holds_alternative<FloatStep>(step) || changes_nothing(size, step)) {
      continue;
    }
    if (is_of_boxes(step)) {
      if (!fuse || !absorb(stages.back(), step)) {
        stages.push_back(whole(size));
        absorb(stages.back(), step);
      }
      continue;
    }
    Stage& last = stages.back();
    const Stage::Kind kind = kind_of(step);
    if (fuse && kind == Stage::Kind::tables && last.kind == kind && last.first + last.count == i) {
      ++last.count;
      continue;
    }
    Stage stage = whole(size);
    stage.kind = kind;
    stage.output = size_after(size, step);
    stage.first = i;
    stage.count = 1;
    stages.push_back(stage);
  }
}

}  // namespace penstock::inline v0
