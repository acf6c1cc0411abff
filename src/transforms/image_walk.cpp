#include "transforms/image_walk.hpp"

#include "transforms/coordinates.hpp"

namespace penstock::inline v0 {

ImageWalk::ImageWalk(const ImageSlots& start, WalkMemory& memory) : slots(start), memory_(memory) {
  memory_.boxes.assign(start.boxes.begin(), start.boxes.end());
  slots.boxes = memory_.boxes;
}

Status ImageWalk::add(const ImageTransform& operation, Draws* draws, Drawn& drawn, ImageEdits& edits) {
  const std::size_t before = edits.size();
  if (draws != nullptr) {
    PENSTOCK_TRY(operation.draw_for(slots, *draws, drawn));
  }
  PENSTOCK_TRY(operation.plan_for(slots.image, drawn, edits));
  const std::span<const ImageEdit> made = std::span(edits).subspan(before);
  if (!memory_.boxes.empty()) {
    memory_.kept.assign(memory_.boxes.size() / 4, 1);
    move_boxes(made, slots.image.size, {memory_.boxes, {}, memory_.kept});
    drop_items(memory_.boxes, memory_.kept, 4);
    slots.boxes = memory_.boxes;
  }
  for (const ImageEdit& edit : made) {
    slots.image.size = size_after(slots.image.size, edit);
  }
  return {};
}

}  // namespace penstock::inline v0
