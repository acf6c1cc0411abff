#include "penstock/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "audio/read_audio.hpp"
#include "codecs/image_decoder.hpp"
#include "codecs/mask_values.hpp"
#include "codecs/rgb_loss.hpp"
#include "core/printable.hpp"
#include "formats/annotations.hpp"
#include "formats/field_value.hpp"
#include "formats/original_file.hpp"
#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

struct Dataset::Impl {
  std::shared_ptr<const SampleTable> table;
  std::string description;
  std::uint64_t max_pixels = 0;
  std::vector<FieldReading> readings;  // by field
};

namespace {

std::string joined(const std::vector<std::string>& sources) {
  if (sources.size() == 1) {
    return sources.front();
  }
  return sources.empty() ? "nothing" : fmt::format("{} and {} more", sources.front(), sources.size() - 1);
}

/// The opened image in the given mode.
Status decode_image(ImageDecoder& decoder, const FieldSpec& field, ImageMode mode, Value& value) {
  PENSTOCK_ASSIGN(const PixelLayout layout, decoder.layout_for(mode));
  const auto width = static_cast<std::size_t>(value.size.width);
  const auto height = static_cast<std::size_t>(value.size.height);
  const std::size_t stride = width * pixel_bytes(layout);
  value.bytes.resize(stride * height + Scratch::kSlack);
  PENSTOCK_TRY(decoder.decode({0, 0, value.size.width, value.size.height}, {.data = value.bytes.data(),
                                                                            .stride = stride,
                                                                            .width = value.size.width,
                                                                            .height = value.size.height,
                                                                            .layout = layout}));
  value.bytes.resize(stride * height);
  if (mode == ImageMode::rgb) {
    value.lost = rgb_loss_text(decoder.traits().loss, field.name, field.choice());
  }
  value.array = {.type = layout == PixelLayout::gray_16 ? Scalar::uint16 : Scalar::uint8,
                 .shape = {height, width}};
  if (!is_mask(mode)) {
    value.array.shape.push_back(static_cast<std::size_t>(channels_of(layout)));
  } else if (mode == ImageMode::wide_mask) {
    value.array.type = Scalar::int32;
    std::vector<std::uint8_t> wide(width * height * sizeof(std::int32_t));
    widen_mask(value.bytes.data(), layout, width * height, wide.data());
    value.bytes = std::move(wide);
  }
  return {};
}

template <class Element>
Value array_value(Scalar type, std::vector<std::size_t> shape, const std::vector<Element>& elements) {
  Value value;
  value.kind = FieldKind::array;
  value.array = {.type = type, .shape = std::move(shape)};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(elements.data());
  value.bytes.assign(bytes, bytes + elements.size() * sizeof(Element));
  return value;
}

/// What a json field has at the paths, and beside it labels or visibility.
Status add_annotations(const StoredValue& stored, const AnnotationSpec& spec, const std::string& name,
                       std::map<std::string, Value>& values) {
  Annotations found;
  PENSTOCK_TRY(read_annotations(stored.bytes, spec, found));
  values[name] = array_value(Scalar::float32, {found.count, numbers_each(spec.kind)}, found.numbers);
  if (!spec.beside().empty()) {
    values[name + spec.beside()] = array_value(Scalar::int64, {found.count}, found.labels);
  }
  return {};
}

/// Readings of fields that are of another kind, and labels whose name another field has.
Status check_readings(const SampleTable& table, const FieldReadings& given) {
  const std::vector<FieldInfo>& fields = table.fields();
  const std::vector<FieldReading> readings = readings_of(table, given);
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const std::string& name = fields[field].name;
    const auto& annotations = readings[field].annotations;
    const FieldKind wanted = annotations ? FieldKind::json : FieldKind::image;
    if (given.contains(name) && fields[field].kind != wanted) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("field '{}' must hold {} to be read like this, but it holds {}",
                                          printable(name), annotations ? "json" : "an image",
                                          name_of(fields[field].kind)),
                   .advice = "pass the extension of another file of the samples",
                   .place = {.stage = "open"}};
    }
    if (!annotations) {
      continue;
    }
    PENSTOCK_TRY(check_annotations(*annotations));
    const std::string suffix = annotations->beside();
    const std::string beside = name + suffix;
    if (!suffix.empty() &&
        std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == beside; })) {
      return Error{
          .kind = ErrorKind::invalid,
          .message = fmt::format("the {} of field '{}' would be called '{}', but a field has that name",
                                 suffix.substr(1), printable(name), printable(beside)),
          .advice = "use another name for one of them in fields",
          .place = {.stage = "open"}};
    }
  }
  return {};
}

Result<Value> decoded(const FieldSpec& field, const FieldReading& reading, const StoredValue& stored,
                      ImageDecoder& decoder) {
  Value value;
  value.kind = field.kind;
  if (field.kind == FieldKind::integer) {
    PENSTOCK_ASSIGN(value.integer, integer_of(stored));
  } else if (field.kind == FieldKind::real) {
    PENSTOCK_ASSIGN(value.real, real_of(stored));
  } else if (field.kind == FieldKind::array) {
    PENSTOCK_ASSIGN(const StoredArray array, array_of(field, stored));
    value.array = array.header.array;
    value.bytes.resize(array.bytes());
    array.copy(value.bytes.data());
  } else if (field.kind == FieldKind::image) {
    PENSTOCK_ASSIGN(value.size, decoder.open(stored.image()));
    PENSTOCK_TRY(decode_image(decoder, field, reading.mode, value));
  } else if (field.kind == FieldKind::audio) {
    AudioReader reader;
    PENSTOCK_ASSIGN(const ClipInfo clip, reader.open(stored.bytes, {.mono = false}));
    value.channels = clip.channels;
    value.rate = clip.rate;
    value.samples.resize(static_cast<std::size_t>(clip.frames) * static_cast<std::size_t>(clip.channels));
    PENSTOCK_TRY(reader.read(value.samples.data(), static_cast<std::size_t>(clip.frames)));
  } else {
    PENSTOCK_TRY(check_syntax(field.kind, stored.bytes));
    value.bytes.assign(stored.bytes.begin(), stored.bytes.end());
  }
  return value;
}

}  // namespace

Result<Dataset> Dataset::open(const std::vector<std::string>& sources, const DatasetOptions& options) {
  PENSTOCK_ASSIGN(
      std::unique_ptr<SampleTable> table,
      open_samples(sources, {options.fields}, options.storages ? *options.storages : Storages::standard()));
  PENSTOCK_TRY(check_readings(*table, options.readings));
  return of(std::move(table), joined(sources), options);
}

Dataset Dataset::of(std::shared_ptr<const SampleTable> table, std::string description,
                    const DatasetOptions& options) {
  std::vector<FieldReading> readings = readings_of(*table, options.readings);
  return Dataset(std::make_shared<const Impl>(Impl{.table = std::move(table),
                                                   .description = std::move(description),
                                                   .max_pixels = options.max_pixels,
                                                   .readings = std::move(readings)}));
}

std::uint64_t Dataset::size() const noexcept { return impl_->table->size(); }
const std::vector<FieldInfo>& Dataset::fields() const noexcept { return impl_->table->fields(); }
const std::vector<std::string>& Dataset::classes() const noexcept { return impl_->table->classes(); }
std::string Dataset::fingerprint() const { return impl_->table->fingerprint(); }
const std::vector<std::string>& Dataset::warnings() const noexcept { return impl_->table->warnings(); }
const FieldReading& Dataset::reading(std::size_t field) const noexcept { return impl_->readings[field]; }
std::uint64_t Dataset::max_pixels() const noexcept { return impl_->max_pixels; }
const std::string& Dataset::description() const noexcept { return impl_->description; }
const std::shared_ptr<const SampleTable>& Dataset::table() const noexcept { return impl_->table; }

Status Dataset::check(std::uint64_t sample) const {
  if (sample < size()) {
    return {};
  }
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("there is no sample {}: the data set has {}", sample, size()),
               .advice = {},
               .place = {.source = impl_->description, .stage = "read"}};
}

Result<std::string> Dataset::key(std::uint64_t sample) const {
  PENSTOCK_TRY(check(sample));
  return impl_->table->checked_key(sample);
}

Result<std::map<std::string, Value>> Dataset::at(std::uint64_t sample) const {
  PENSTOCK_TRY(check(sample));
  const SampleTable& table = *impl_->table;
  ImageDecoder decoder(DecodeLimits{.max_pixels = impl_->max_pixels});
  std::map<std::string, Value> values;
  for (std::size_t field = 0; field < fields().size(); ++field) {
    const std::string& name = fields()[field].name;
    const FieldReading& reading = impl_->readings[field];
    const FieldSpec spec = table.spec(field);
    Status used = use_value(table, sample, field, [&](const StoredValue& stored) -> Status {
      if (reading.annotations) {
        return add_annotations(stored, *reading.annotations, name, values);
      }
      PENSTOCK_ASSIGN(values[name], decoded(spec, reading, stored, decoder));
      return {};
    });
    if (!used) {
      return at_sample(std::move(used).error(), table, sample, field);
    }
  }
  return values;
}

Result<std::map<std::string, std::vector<std::uint8_t>>> Dataset::raw(std::uint64_t sample) const {
  PENSTOCK_TRY(check(sample));
  OriginalFile original;
  std::map<std::string, std::vector<std::uint8_t>> values;
  for (std::size_t field = 0; field < fields().size(); ++field) {
    Status used = use_value(*impl_->table, sample, field, [&](const StoredValue& stored) -> Status {
      PENSTOCK_ASSIGN(const ByteSpan file, original.of(stored));
      values[fields()[field].name].assign(file.begin(), file.end());
      return {};
    });
    if (!used) {
      return at_sample(std::move(used).error(), *impl_->table, sample, field);
    }
  }
  return values;
}

}  // namespace penstock::inline v0
