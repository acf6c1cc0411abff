#include "transforms/pass_runner.hpp"

#include <algorithm>

#include "transforms/kernels/alpha.hpp"
#include "transforms/kernels/byte_tables.hpp"
#include "transforms/kernels/pad.hpp"

namespace penstock::inline v0 {
namespace {

// Pixels around each decoded row for what decoders produce beside the box; keeps rows on cache lines.
constexpr int kDecodeMargin = 64;

// Pixels stay as they are, and where they are.
bool is_part(const Pass& pass) {
  return pass.kind == Pass::Kind::boxes && !pass.resize && !pass.flip && !pass.flip_down;
}

}  // namespace

bool PassRunner::only_reads(const Pass& pass, const ImageEdits& edits, const ImageSink* sink) const {
  switch (pass.kind) {
    case Pass::Kind::boxes:
      return false;
    case Pass::Kind::moved:
      return true;
    case Pass::Kind::tables:
      return sink != nullptr && is_plain(*sink);
    case Pass::Kind::pixels:
      return !std::get<PixelsEdit>(edits[pass.first]).in_place;
  }
  return false;
}

ConstPixelRows PassRunner::rows_of(const Pixels& in) const {
  return {in.data, in.stride, {in.area.width, in.area.height}, channels_};
}

Status PassRunner::decode(const Rect& box, const ReadBox& read, DecodedPart& part) {
  set_channels(input_channels_);
  part.stride = stride_for(box.width + 2 * kDecodeMargin);
  std::uint8_t* const data = decoded_.reserve(part.stride * static_cast<std::size_t>(box.height)) +
                             pixel_ * static_cast<std::size_t>(kDecodeMargin);
  part.data = data;
  part.area = box;
  return read(box, {data, part.stride, box.width, box.height, layout_, kDecodeMargin});
}

Status PassRunner::run(std::span<const Pass> passes, const ImageEdits& edits, const ReadBox& read,
                       const ImageSink& sink) {
  const BoxReading reading = prepare(passes.front());
  DecodedPart part;
  PENSTOCK_TRY(decode(reading.need, read, part));
  run_from(passes, edits, reading, part, sink);
  return {};
}

void PassRunner::run(std::span<const Pass> passes, const ImageEdits& edits, const DecodedPart& part,
                     const ImageSink& sink) {
  run_from(passes, edits, prepare(passes.front()), part, sink);
}

void PassRunner::run_from(std::span<const Pass> passes, const ImageEdits& edits, const BoxReading& first,
                          const DecodedPart& part, const ImageSink& sink) {
  Pixels in = part;
  set_channels(input_channels_);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    const auto sink_of = [&](std::size_t which) { return which + 1 == passes.size() ? &sink : nullptr; };
    if (pass.kind == Pass::Kind::boxes && pass.resize && has_alpha_weights(pass.resize->filter)) {
      const ImageSink out = between(pass.output);
      run_boxes(pass, i == 0 ? first : prepare(pass), times_alpha(in), out);
      in = whole_of(out);
      divide_by_alpha(rows_of(in), own_rows(in));
      if (i + 1 == passes.size()) {
        write(in, sink);
      }
    } else if (i + 1 < passes.size() && is_part(pass) && only_reads(passes[i + 1], edits, sink_of(i + 1))) {
      const int x = pass.box.x + pass.keep.x;
      const int y = pass.box.y + pass.keep.y;
      in = {at(in, x, y), in.stride, {0, 0, pass.keep.width, pass.keep.height}};
    } else if (pass.kind == Pass::Kind::boxes) {
      // Tables that need to know nothing of the image are looked up on the way to its memory.
      through_tables_ = i + 1 < passes.size() && make_tables(passes[i + 1], edits, nullptr);
      const std::size_t done = through_tables_ ? i + 1 : i;
      const bool last = done + 1 == passes.size();
      const ImageSink out = last ? sink : between(pass.output);
      run_boxes(pass, i == 0 ? first : prepare(pass), in, out);
      through_tables_ = false;
      if (last) {
        break;
      }
      in = whole_of(out);
      i = done;
    } else {
      in = pass.kind == Pass::Kind::tables ? run_tables(pass, edits, in, sink_of(i))
                                           : run_edit(pass, edits[pass.first], in, sink_of(i));
      if (i + 1 == passes.size() && in.data != sink.data) {
        write(in, sink);
      }
    }
  }
  finish_rows();
}

PassRunner::Pixels PassRunner::times_alpha(const Pixels& in) {
  const std::size_t stride = stride_for(in.area.width);
  const PixelRows out{multiplied_.reserve(stride * static_cast<std::size_t>(in.area.height)),
                      stride,
                      {in.area.width, in.area.height},
                      channels_};
  multiply_by_alpha(rows_of(in), out);
  return {out.data, stride, in.area};
}

ImageSink PassRunner::between(ImageSize size) {
  last_whole_ = 1 - last_whole_;
  const std::size_t bytes = row_bytes(size.width) * static_cast<std::size_t>(size.height);
  return {.data = whole_[static_cast<std::size_t>(last_whole_)].reserve(bytes),
          .size = size,
          .type = type_,
          .format = MemoryFormat::channels_last,
          .floats = nullptr,
          .channels = channels_,
          .from = type_};
}

PassRunner::Pixels PassRunner::whole_of(const ImageSink& made) const {
  return {static_cast<const std::uint8_t*>(made.data),
          row_bytes(made.size.width),
          {0, 0, made.size.width, made.size.height}};
}

PixelRows PassRunner::own_rows(const Pixels& in) {
  return {whole_[static_cast<std::size_t>(last_whole_)].data(),
          in.stride,
          {in.area.width, in.area.height},
          channels_};
}

bool PassRunner::make_tables(const Pass& pass, const ImageEdits& edits, const Pixels* image) {
  if (pass.kind != Pass::Kind::tables) {
    return false;
  }
  tables_.fill(identity_table());
  if (image != nullptr) {
    measure_.begin(rows_of(*image));
  }
  for (std::size_t i = pass.first; i < pass.first + pass.count; ++i) {
    const auto& edit = std::get<TableEdit>(edits[i]);
    if (edit.needs != TableEdit::Needs::nothing) {
      if (image == nullptr) {
        return false;
      }
      measure_.measure(tables_, edit.needs, work_, statistics_);
    }
    // The fourth channel is transparency, not colour.
    ByteTable made;
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(std::min(channels_, 3)); ++channel) {
      if (channel == 0 || edit.needs == TableEdit::Needs::histogram) {
        made = edit.make(edit, statistics_, channel);
      }
      tables_[channel] = joined(tables_[channel], made);
    }
  }
  const bool alike = channels_ == 3 && tables_[0] == tables_[1] && tables_[1] == tables_[2];
  map_ = ByteMap({tables_.data(), alike ? 1 : static_cast<std::size_t>(channels_)});
  return true;
}

PassRunner::Pixels PassRunner::run_tables(const Pass& pass, const ImageEdits& edits, const Pixels& in,
                                          const ImageSink* sink) {
  make_tables(pass, edits, &in);
  if (sink != nullptr && is_plain(*sink)) {
    map_.apply(rows_of(in), {row_of(*sink, 0), row_bytes(sink->size.width), sink->size, channels_});
    return whole_of(*sink);
  }
  map_.apply(rows_of(in), own_rows(in));
  return in;
}

PassRunner::Pixels PassRunner::run_edit(const Pass& pass, const ImageEdit& edit, const Pixels& in,
                                        const ImageSink* sink) {
  if (const auto* pixels = std::get_if<PixelsEdit>(&edit); pixels != nullptr && pixels->in_place) {
    pixels->run(*pixels, rows_of(in), own_rows(in), work_);
    return in;
  }
  const ConstPixelRows rows = rows_of(in);
  if (const auto* pixels = std::get_if<PixelsEdit>(&edit); pixels != nullptr && pixels->channels != 0) {
    set_channels(pixels->channels);
  }
  const auto* const warp = std::get_if<WarpEdit>(&edit);
  const bool alpha = warp != nullptr && has_alpha_weights(warp->warp.filter);
  // What makes an image in several rounds reads it again, with what follows it.
  const bool straight = sink != nullptr && is_plain(*sink) && pass.kind == Pass::Kind::moved && !alpha;
  const ImageSink out = straight ? *sink : between(pass.output);
  auto* const data = static_cast<std::uint8_t*>(out.data);
  if (const auto* pixels = std::get_if<PixelsEdit>(&edit)) {
    pixels->run(*pixels, rows, {data, row_bytes(out.size.width), out.size, channels_}, work_);
  } else {
    // Moves take pixels of two bytes as two channels.
    const int channels = static_cast<int>(pixel_);
    const ConstPixelRows from{in.data, in.stride, pass.input, channels};
    const PixelRows to{data, row_bytes(out.size.width), out.size, channels};
    if (const auto* pad = std::get_if<PadEdit>(&edit)) {
      pad_image(*pad, from, to);
    } else if (const auto* moved = std::get_if<MoveEdit>(&edit)) {
      move_pixels(from, to, moved->move);
    } else if (const auto* field = std::get_if<FieldEdit>(&edit)) {
      run_field(*field, from, to);
    } else {
      warp_image(alpha ? rows_of(times_alpha(in)) : from, to, warp->warp);
      if (alpha) {
        divide_by_alpha(to, to);
      }
    }
  }
  return whole_of(out);
}

void PassRunner::run_field(const FieldEdit& edit, const ConstPixelRows& in, const PixelRows& out) {
  const auto count = static_cast<std::size_t>(out.size.width) * static_cast<std::size_t>(out.size.height);
  const std::size_t apart =
      (count * sizeof(float) + 2 * Scratch::kSlack) / Scratch::kAlignment * Scratch::kAlignment;
  std::uint8_t* const planes = field_.reserve(2 * apart);
  const FieldPlanes field{reinterpret_cast<float*>(planes), reinterpret_cast<float*>(planes + apart)};
  edit.make(edit, out.size, field, work_);
  sample_field(in, out, field, edit.sampling);
}

void PassRunner::write(const Pixels& in, const ImageSink& sink) {
  for (int y = 0; y < in.area.height; ++y) {
    write_row(sink, y, at(in, 0, y));
  }
}

void PassRunner::put(const Pass& pass, const ImageSink& sink, int y, const std::uint8_t* row) {
  y = place_of(pass, sink, y);
  if (!through_tables_) {
    write_row(sink, y, row);
    return;
  }
  const std::size_t bytes = row_bytes(sink.size.width);
  const ImageSize one{sink.size.width, 1};
  const bool plain = is_plain(sink);
  const PixelRows mapped{plain ? row_of(sink, y) : mapped_.reserve(bytes), bytes, one, channels_};
  map_.apply({row, bytes, one, channels_}, mapped);
  if (!plain) {
    write_row(sink, y, mapped.data);
  }
}

}  // namespace penstock::inline v0
