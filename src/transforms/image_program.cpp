#include "transforms/image_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/cpu.hpp"
#include "transforms/plan_text.hpp"

namespace penstock::inline v0 {

struct ImageProgram::Impl {
  OperationList<ImageTransform, ImageSpec> list;
  MemoryFormat format = MemoryFormat::channels_first;
  bool fuse = true;
  FloatMap floats;
  int written_channels = 3;  ///< of pixels when they become floats, or of the row
};

namespace {

bool makes_floats(const ImageEdit& edit) {
  const auto* floats = std::get_if<FloatEdit>(&edit);
  return floats != nullptr && floats->make != nullptr;
}

void* room_for_floats(ImageWorkspace& workspace, std::size_t which, ImageSize size, int channels) {
  return workspace.floats[which].reserve(static_cast<std::size_t>(size.width) *
                                         static_cast<std::size_t>(size.height) *
                                         static_cast<std::size_t>(channels) * sizeof(float));
}

}  // namespace

ImageProgram::ImageProgram(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<ImageProgram> ImageProgram::compile(std::vector<TransformPtr> operations, MemoryFormat format,
                                           bool fuse, const ProgramStart& start) {
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
  FloatTable table;
  for (std::size_t i = 0; i < impl->list.size(); ++i) {
    impl->list[i].map_values(table);
  }
  for (std::size_t i = 0; i <= impl->list.size(); ++i) {
    if (!impl->list.spec(i).is_float()) {
      impl->written_channels = impl->list.spec(i).channels;
    }
  }
  impl->format = format;
  impl->fuse = fuse;
  impl->floats = FloatMap(table);
  return ImageProgram(std::move(impl));
}

const ImageSpec& ImageProgram::output() const noexcept { return impl_->list.output(); }
const ImageSpec& ImageProgram::input() const noexcept { return impl_->list.spec(0); }
const ListDraws& ImageProgram::list() const noexcept { return impl_->list; }

std::string ImageProgram::describe() const { return plan_text(impl_->list, impl_->format, impl_->fuse); }

ImageWorkspacePtr ImageProgram::make_workspace() const {
  return std::make_unique<ImageWorkspace>(input(), impl_->list.make_drawn());
}

Result<ImageSize> ImageProgram::resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey& key,
                                        std::span<const float> boxes) const {
  return resolve(workspace, image, &key, boxes);
}

Result<ImageSize> ImageProgram::replay(ImageWorkspace& workspace, ImageSize image) const {
  return resolve(workspace, image, nullptr, {});
}

Result<ImageSize> ImageProgram::resolve(ImageWorkspace& workspace, ImageSize image, const RandomKey* key,
                                        std::span<const float> boxes) const {
  constexpr std::int64_t kMaxPixels = 1 << 28;
  const auto& list = impl_->list;
  workspace.edits.clear();
  workspace.input = image;
  ImageWalk walk({.image = {.size = image, .type = input().type, .channels = input().channels},
                  .boxes = boxes,
                  .key = key != nullptr ? *key : RandomKey{}},
                 workspace.walk);
  for (std::size_t i = 0; i < list.size(); ++i) {
    walk.slots.image.type = list.spec(i).type;
    walk.slots.image.channels = list.spec(i).channels;
    Draws draws = list.draws(i, key != nullptr ? *key : RandomKey{});
    Status status =
        walk.step(list[i], key != nullptr ? &draws : nullptr, *workspace.drawn[i], workspace.edits);
    if (!status) {
      status.error().place.stage = "transform";
      return std::move(status).error();
    }
  }
  plan_passes(image, workspace.edits, impl_->fuse, workspace.mirrors, workspace.passes);
  for (const Pass& pass : workspace.passes) {
    const ImageSize made = pass.output;
    if (std::int64_t{made.width} * made.height > kMaxPixels) {
      Error error{ErrorKind::invalid,
                  fmt::format("an image of {} x {} pixels would be made from one of {} x {}", made.width,
                              made.height, image.width, image.height),
                  "set max_size of Resize, or exclude such images",
                  {}};
      error.place.stage = "transform";
      return error;
    }
  }
  return walk.slots.image.size;
}

ImageSink ImageProgram::sink(ImageWorkspace& workspace, void* out) const {
  const ImageSize size = workspace.passes.back().output;
  const bool in_row = std::none_of(workspace.edits.begin(), workspace.edits.end(), makes_floats);
  return {.data = in_row ? out : room_for_floats(workspace, 0, size, impl_->written_channels),
          .size = size,
          .type = output().type,
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
    made.data =
        static_cast<float*>(--left == 0 ? out : room_for_floats(workspace, room, made.size, made.channels));
    floats->make(*floats, image, made, workspace.float_work);
    image = made;
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

}  // namespace penstock::inline v0
