#include "pipeline/foreign/foreign_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace penstock::inline v0 {
namespace {

// Results of unknown shape, as images of which the decoder would make no more.
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

ImageSpec with_size(ImageSpec image, ImageSize size) {
  image.size = size;
  return image;
}

Error cannot_follow(const Transform& operation, const ForeignLink& link) {
  return Error{
      .kind = ErrorKind::invalid,
      .message = fmt::format("{} cannot follow {}, which returns {}", operation.name(), link.name,
                             link.output.to_string()),
      .advice = "return an array [H, W, C] of the type and channels that it is given, or put it after them",
      .place = {.stage = "plan"}};
}

/// Of a result, or of what is planned, as far as it is known.
Status check_size(const ForeignLink& link, ArraySpec result) {
  std::replace(result.shape.begin(), result.shape.end(), kAnyExtent, std::size_t{1});
  if (result.bytes() > kMaxBytes || result.bytes() == 0) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("{} returned {}", link.name, result.to_string()),
                 .advice = "return an array of at least one element and at most 1 GiB",
                 .place = {.stage = link.name}};
  }
  return {};
}

/// What a stage returned against what it was planned to return.
Status check_result(const ForeignLink& link, const ArraySpec& result) {
  if (!link.output.covers(result)) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("{} returned {}, and {} was planned", link.name, result.to_string(),
                                        link.output.to_string()),
                 .advice =
                     "return one shape and type for all samples, and declare them: "
                     "penstock.transforms.Python(fn, shape=..., dtype=...)",
                 .place = {.stage = link.name}};
  }
  return check_size(link, result);
}

/// [H, W, C] to [C, H, W].
void channels_to_front(const float* in, std::size_t pixels, std::size_t channels, float* out) {
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      out[c * pixels + i] = in[channels * i + c];
    }
  }
}

/// Of a program's text: "decode", which is no work where pixels come from a stage.
std::string without_first_line(const std::string& text) { return text.substr(text.find('\n') + 1); }

}  // namespace

ArraySpec image_array(const ImageSpec& image) {
  const auto extent = [&](int side) {
    return image.fixed_size() ? static_cast<std::size_t>(side) : kAnyExtent;
  };
  return {.type = scalar_of(image.type),
          .shape = {extent(image.size.height), extent(image.size.width),
                    static_cast<std::size_t>(image.channels)}};
}

ImageSize image_size(const ArraySpec& array) noexcept {
  return {static_cast<int>(array.shape[1]), static_cast<int>(array.shape[0])};
}

bool ImageChain::is_image(const ArraySpec& array) const noexcept {
  if (array.shape.size() != 3) {
    return false;
  }
  const std::size_t channels = array.shape[2];
  const bool counted = channels == 3 || channels == static_cast<std::size_t>(first.input().channels);
  return counted && (array.type == Scalar::uint8 || array.type == Scalar::float32 ||
                     (array.type == Scalar::uint16 && channels == 1));
}

bool ImageChain::gives_images() const noexcept {
  return links.empty() || links.back().then || is_image(links.back().output);
}

ArraySpec ImageChain::output() const {
  if (links.empty()) {
    return image_array(first.output());
  }
  const ForeignLink& last = links.back();
  return last.then ? image_array(last.then->output()) : last.output;
}

std::string ImageChain::describe() const {
  std::string text = first.describe();
  for (const ForeignLink& link : links) {
    text += fmt::format("{} -> {}, {}\n", link.name, link.output.to_string(), link.stage->where());
    if (link.then) {
      text += without_first_line(link.then->describe());
    }
  }
  return text;
}

Result<ImageChain> compile_chain(const std::vector<TransformPtr>& operations, MemoryFormat format,
                                 const ImageSpec& input, std::uint64_t room, Fuse fuse) {
  const auto is_foreign = [](const TransformPtr& operation) {
    return operation != nullptr && operation->foreign() != nullptr;
  };
  auto at = std::find_if(operations.begin(), operations.end(), is_foreign);
  PENSTOCK_ASSIGN(ImageProgram first,
                  ImageProgram::compile({operations.begin(), at},
                                        at == operations.end() ? format : MemoryFormat::channels_last, fuse,
                                        {.input = input, .room = room}));
  ImageChain chain{.first = std::move(first), .links = {}, .room = room};
  while (at != operations.end()) {
    ForeignLink link{.stage = (*at)->foreign(),
                     .name = (*at)->foreign()->name(),
                     .op = static_cast<std::uint32_t>(at - operations.begin()),
                     .output = {},
                     .then = {}};
    if (chain.output().type == Scalar::bfloat16) {
      return Error{
          .kind = ErrorKind::invalid,
          .message = fmt::format("{} cannot follow ToBfloat16: functions are given numpy arrays", link.name),
          .advice = "put ToBfloat16 after it",
          .place = {.stage = "plan"}};
    }
    PENSTOCK_ASSIGN(link.output, link.stage->describe(chain.output()));
    PENSTOCK_TRY(check_size(link, link.output));
    const auto after = at + 1;
    at = std::find_if(after, operations.end(), is_foreign);
    const bool pixels = chain.is_image(link.output) && link.output.type != Scalar::float32;
    if (after != at && !pixels) {
      return cannot_follow(**after, link);
    }
    const bool last = at == operations.end();
    if (pixels && (after != at || last)) {
      const ProgramStart start{
          .input = {.size = link.output.fixed() ? image_size(link.output) : ImageSize{},
                    .type = link.output.type == Scalar::uint16 ? ElementType::uint16 : ElementType::uint8,
                    .channels = static_cast<int>(link.output.shape[2])},
          .first_op = link.op + 1,
          .room = room};
      PENSTOCK_ASSIGN(link.then, ImageProgram::compile(
                                     {after, at}, last ? format : MemoryFormat::channels_last, fuse, start));
    }
    chain.links.push_back(std::move(link));
  }
  return chain;
}

ChainRunner::ChainRunner(const ImageChain& chain, MemoryFormat format, WorkerCounters& counters)
    : chain_(chain), format_(format), counters_(counters) {
  for (const ForeignLink& link : chain.links) {
    workspaces_.push_back(link.then ? link.then->make_workspace() : nullptr);
  }
}

void* ChainRunner::input(ImageSize size) {
  return current_.reserve(image_array(with_size(chain_.first.output(), size)).bytes());
}

Status ChainRunner::run(ImageSize size, std::uint64_t sample, const RandomKey& key,
                        std::vector<double>& drawn, const RowRoom& room) {
  spec_ = image_array(with_size(chain_.first.output(), size));
  for (std::size_t number = 0; number < chain_.links.size(); ++number) {
    const ForeignLink& link = chain_.links[number];
    PENSTOCK_TRY(run_stage(number, sample, key, room));
    if (link.then) {
      PENSTOCK_TRY(run_program(link, number, key, room));
      link.then->list().save(workspaces_[number]->drawn, drawn);
    }
  }
  return {};
}

Status ChainRunner::run_stage(std::size_t number, std::uint64_t sample, const RandomKey& key,
                              const RowRoom& room) {
  const ForeignLink& link = chain_.links[number];
  const bool into_row = number + 1 == chain_.links.size() && !link.then;
  const bool transposes = into_row && chain_.is_image(link.output) && format_ == MemoryFormat::channels_first;
  counters_.enter(WorkStage::foreign, sample, link.name.c_str());
  ArraySpec result;
  Status done = link.stage->run(
      spec_, current_.data(),
      {.stream = chain_.room == 0 ? stream_of(key) : mix64(chain_.room, stream_of(key)),
       .sample = key.sample,
       .op = link.op},
      [&](const ArraySpec& returned) -> Result<void*> {
        PENSTOCK_TRY(check_result(link, returned));
        result = returned;
        return into_row && !transposes ? room(result) : static_cast<void*>(next_.reserve(result.bytes()));
      });
  counters_.enter(WorkStage::transform, sample);
  if (!done) {
    if (done.error().place.stage.empty()) {
      done.error().place.stage = link.name;
    }
    return done;
  }
  if (transposes) {
    PENSTOCK_ASSIGN(void* const row, room(result));
    channels_to_front(reinterpret_cast<const float*>(next_.data()), result.shape[0] * result.shape[1],
                      result.shape[2], static_cast<float*>(row));
  }
  std::swap(current_, next_);
  spec_ = std::move(result);
  return {};
}

Status ChainRunner::run_program(const ForeignLink& link, std::size_t number, const RandomKey& key,
                                const RowRoom& room) {
  ImageWorkspace& workspace = *workspaces_[number];
  const std::uint8_t* const pixels = current_.data();
  const ImageSize size = image_size(spec_);
  const std::size_t pixel = spec_.shape[2] * size_of(spec_.type);
  const std::size_t stride = pixel * static_cast<std::size_t>(size.width);
  PENSTOCK_ASSIGN(const ImageSize made, link.then->resolve(workspace, size, key));
  const ArraySpec result = image_array(with_size(link.then->output(), made));
  void* out = nullptr;
  const bool into_row = number + 1 == chain_.links.size();
  if (into_row) {
    PENSTOCK_ASSIGN(out, room(result));
  } else {
    out = next_.reserve(result.bytes());
  }
  PENSTOCK_TRY(link.then->run(
      workspace,
      [&](const Rect& box, const PixelView& view) -> Status {
        for (int y = 0; y < box.height; ++y) {
          std::memcpy(
              view.data + view.stride * static_cast<std::size_t>(y),
              pixels + stride * static_cast<std::size_t>(box.y + y) + pixel * static_cast<std::size_t>(box.x),
              pixel * static_cast<std::size_t>(box.width));
        }
        return {};
      },
      out));
  if (!into_row) {
    std::swap(current_, next_);
  }
  spec_ = result;
  return {};
}

}  // namespace penstock::inline v0
