#include "transforms/image_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/cpu.hpp"
#include "transforms/join_warps.hpp"
#include "transforms/kernels/rounded_floats.hpp"
#include "transforms/plan_text.hpp"

namespace penstock::inline v0 {

struct ImageProgram::Impl {
  OperationList<ImageTransform, ImageSpec> list;
  MemoryFormat format = MemoryFormat::channels_first;
  Fuse fuse = Fuse::exact;
  FloatMap floats;
  std::vector<ProgramMask> masks;
  int written_channels = 3;  ///< of pixels when they become floats, or of the row
  int part = 0;
};

namespace {

std::size_t values_of(ImageSize size, int channels) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
         static_cast<std::size_t>(channels);
}

bool makes_floats(const ImageEdit& edit) {
  const auto* floats = std::get_if<FloatEdit>(&edit);
  return floats != nullptr && floats->make != nullptr;
}

void* room_for_floats(ImageWorkspace& workspace, std::size_t which, ImageSize size, int channels) {
  return workspace.floats[which].reserve(values_of(size, channels) * sizeof(float));
}

bool is_too_large(ImageSize made) { return std::int64_t{made.width} * made.height > kMaxMadePixels; }

Error too_large(const std::string& operation, ImageSize made, const std::string& source, std::string advice) {
  return {.kind = ErrorKind::invalid,
          .message = fmt::format("{}an image of {} x {} = {} pixels{} is over the limit of {}", operation,
                                 made.width, made.height, std::int64_t{made.width} * made.height, source,
                                 kMaxMadePixels),
          .advice = std::move(advice),
          .place = {.stage = "transform"}};
}

/// Rows of a batch, where their size is known beforehand. What a crop follows is not made as a whole.
Status check_row(const OperationList<ImageTransform, ImageSpec>& list) {
  for (std::size_t i = list.size(); i > 0 && is_too_large(list.output().size); --i) {
    if (list.spec(i - 1).size != list.output().size) {
      return too_large(fmt::format("{}: ", list[i - 1].name()), list.output().size, "",
                       "ask for a smaller size");
    }
  }
  return {};
}

/// The fields that operations add; `invalid` where two have one name.
Result<std::vector<ProgramMask>> masks_of(const OperationList<ImageTransform, ImageSpec>& list) {
  std::vector<ProgramMask> masks;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::size_t number = 0;
    for (MaskField& field : list[i].mask_fields()) {
      if (std::any_of(masks.begin(), masks.end(),
                      [&field](const ProgramMask& other) { return other.field.name == field.name; })) {
        return Error{ErrorKind::invalid,
                     fmt::format("{}: two fields of masks would be called '{}'", list[i].name(), field.name),
                     "give one of them another name",
                     {}};
      }
      masks.push_back({std::move(field), i, number++});
    }
  }
  return masks;
}

}  // namespace

ImageProgram::ImageProgram(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<ImageProgram> ImageProgram::compile(std::vector<TransformPtr> operations, MemoryFormat format,
                                           Fuse fuse, const ProgramStart& start) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  const ImageSpec& in = start.input;
  if (in.is_float() || (in.channels != 1 && in.channels != 3 && in.channels != 4) ||
      (in.type == ElementType::uint16 && in.channels != 1)) {
    return Error{ErrorKind::invalid,
                 "operations work on images of 1, 3 or 4 channels of 8 bits, and of 1 channel of 16 bits",
                 "read the image in another mode",
                 {}};
  }
  auto impl = std::make_shared<Impl>();
  PENSTOCK_ASSIGN(impl->list, (OperationList<ImageTransform, ImageSpec>::compile(
                                  std::move(operations), start.input, {start.room, start.first_op})));
  PENSTOCK_TRY(check_row(impl->list));
  PENSTOCK_ASSIGN(impl->masks, masks_of(impl->list));
  FloatTable table;
  for (std::size_t i = 0; i < impl->list.size(); ++i) {
    impl->list[i].map_values(table);
    if (impl->list[i].turns_upright() && start.first_op + i > 0) {
      return Error{ErrorKind::invalid,
                   fmt::format("{} must be the first operation of a list", impl->list[i].name()),
                   "put it before all others: it changes how files are read",
                   {}};
    }
  }
  for (std::size_t i = 0; i <= impl->list.size(); ++i) {
    if (!impl->list.spec(i).is_float()) {
      impl->written_channels = impl->list.spec(i).channels;
    }
  }
  impl->format = format;
  impl->fuse = fuse;
  impl->part = start.part;
  impl->floats = FloatMap(table);
  return ImageProgram(std::move(impl));
}

const ImageSpec& ImageProgram::output() const noexcept { return impl_->list.output(); }
const ImageSpec& ImageProgram::input() const noexcept { return impl_->list.spec(0); }
const ListDraws& ImageProgram::list() const noexcept { return impl_->list; }
const std::vector<ProgramMask>& ImageProgram::masks() const noexcept { return impl_->masks; }
BoxFormat ImageProgram::box_format() const noexcept {
  BoxFormat format = BoxFormat::xyxy;
  for (std::size_t i = 0; i < impl_->list.size(); ++i) {
    format = impl_->list[i].box_format().value_or(format);
  }
  return format;
}
bool ImageProgram::wants_upright() const noexcept {
  return impl_->list.size() > 0 && impl_->list[0].turns_upright();
}

std::string ImageProgram::describe() const { return plan_text(impl_->list, impl_->format, impl_->fuse); }

ImageWorkspacePtr ImageProgram::make_workspace() const {
  return std::make_unique<ImageWorkspace>(input(), impl_->list.make_drawn());
}

Result<ImageSize> ImageProgram::resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey& key,
                                        std::span<const float> boxes, int orientation,
                                        const BatchPlace& batch) const {
  return resolve(workspace, image, &key, boxes, orientation, batch);
}

Result<ImageSize> ImageProgram::replay(ImageWorkspace& workspace, ImageSize image) const {
  return resolve(workspace, image, nullptr, {}, 1, {});
}

Result<ImageSize> ImageProgram::resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey* key,
                                        std::span<const float> boxes, int orientation,
                                        const BatchPlace& batch) const {
  const auto& list = impl_->list;
  workspace.edits.clear();
  workspace.input = image;
  ImageWalk walk(
      {.image = {.size = image, .type = input().type, .channels = input().channels, .part = impl_->part},
       .boxes = boxes,
       .key = key != nullptr ? *key : RandomKey{},
       .orientation = orientation,
       .batch = batch},
      workspace.walk);
  for (std::size_t i = 0; i < list.size(); ++i) {
    walk.slots.image.type = list.spec(i).type;
    walk.slots.image.channels = list.spec(i).channels;
    walk.slots.address = list.address(i);
    Draws draws = list.draws(i, key != nullptr ? *key : RandomKey{});
    Status status =
        walk.add(list[i], key != nullptr ? &draws : nullptr, *workspace.drawn[i], workspace.edits);
    if (!status) {
      status.error().place.stage = "transform";
      return std::move(status).error();
    }
  }
  if (impl_->fuse == Fuse::fast) {
    join_warps(workspace.edits);
  }
  plan_passes(image, workspace.edits, impl_->fuse, workspace.mirrors, workspace.passes);
  for (const Pass& pass : workspace.passes) {
    if (is_too_large(pass.output)) {
      return too_large("", pass.output, fmt::format(", made of one of {} x {},", image.width, image.height),
                       "set max_size of Resize, or exclude such images");
    }
  }
  return walk.slots.image.size;
}

ImageSink ImageProgram::sink(ImageWorkspace& workspace, void* out) const {
  const ImageSize size = workspace.passes.back().output;
  const bool rounded = output().is_rounded();
  const bool in_row = !rounded && std::none_of(workspace.edits.begin(), workspace.edits.end(), makes_floats);
  return {.data = in_row ? out : room_for_floats(workspace, 0, size, impl_->written_channels),
          .size = size,
          .type = rounded ? ElementType::float32 : output().type,
          .format = impl_->format,
          .floats = &impl_->floats,
          .channels = impl_->written_channels,
          .from = input().type};
}

void ImageProgram::finish(ImageWorkspace& workspace, const ImageSink& written, void* out) const {
  FloatRows image{.data = static_cast<float*>(written.data),
                  .size = written.size,
                  .channels = written.channels,
                  .format = impl_->format};
  auto left = std::count_if(workspace.edits.begin(), workspace.edits.end(), makes_floats);
  std::size_t room = 0;
  for (const ImageEdit& edit : workspace.edits) {
    const auto* floats = std::get_if<FloatEdit>(&edit);
    if (floats == nullptr) {
      continue;
    }
    if (floats->make == nullptr) {
      floats->run(*floats, image);
      continue;
    }
    FloatRows made = image;
    made.channels = floats->channels;
    room = 1 - room;
    const bool last = --left == 0 && !output().is_rounded();
    made.data = static_cast<float*>(last ? out : room_for_floats(workspace, room, made.size, made.channels));
    floats->make(*floats, image, made, workspace.float_work);
    image = made;
  }
  if (output().is_rounded()) {
    round_floats(image.data, values_of(image.size, image.channels), output().type, out);
  }
}

Status ImageProgram::run(ImageWorkspace& workspace, ImageDecoder& decoder, void* out) const {
  return run(
      workspace, [&decoder](const Rect& box, const PixelView& view) { return decoder.decode(box, view); },
      out);
}

Status ImageProgram::run(ImageWorkspace& workspace, const ReadBox& read, void* out) const {
  const ImageSink to = sink(workspace, out);
  PENSTOCK_TRY(workspace.runner.run(workspace.passes, workspace.edits, read, to));
  finish(workspace, to, out);
  return {};
}

void ImageProgram::run(ImageWorkspace& workspace, const DecodedPart& part, void* out) const {
  const ImageSink to = sink(workspace, out);
  workspace.runner.run(workspace.passes, workspace.edits, part, to);
  finish(workspace, to, out);
}

void ImageProgram::write_mask(const ImageWorkspace& workspace, std::size_t mask, std::uint8_t* out) const {
  const ProgramMask& written = impl_->masks[mask];
  impl_->list[written.operation].write_mask(*workspace.drawn[written.operation], written.number,
                                            {out, written.field.elements()});
}

}  // namespace penstock::inline v0
