#include "pipeline/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codecs/sound_decoder.hpp"
#include "core/printable.hpp"
#include "formats/field_value.hpp"
#include "formats/sample_table.hpp"
#include "pipeline/run/batch_storage.hpp"

namespace penstock {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kRawArrays = 4;  // offsets, sizes, heights, widths

std::size_t round_up(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

Error invalid(std::string message, std::string advice) {
  return Error{.kind = ErrorKind::invalid,
               .message = std::move(message),
               .advice = std::move(advice),
               .place = {.stage = "plan"}};
}

Error name_is_taken(const std::string& name) {
  return invalid(fmt::format("the data set has a field '{}', a name that batches use themselves", name),
                 fmt::format("rename it: Dataset(..., fields={{\"my_{}\": \"{}\", ...}})", name, name));
}

ElementType element_of(Scalar type) {
  return type == Scalar::float32 ? ElementType::float32 : ElementType::uint8;
}

std::string names_of(const std::vector<FieldInfo>& fields) {
  std::string names;
  for (const FieldInfo& field : fields) {
    names += (names.empty() ? "" : ", ") + field.name;
  }
  return names;
}

/// What most sounds of a field are like, by the first of them that can be read: rows that end up otherwise
/// are errors, whichever batch they fall into.
Result<SoundSpec> usual_sound(const SampleTable& table, std::size_t field) {
  constexpr std::uint64_t kTried = 16;
  SoundDecoder decoder;
  std::optional<Error> first;
  for (std::uint64_t sample = 0; sample < std::min(kTried, table.size()); ++sample) {
    SoundSpec spec;
    Status read = use_value(table, sample, field, [&](const StoredValue& stored) -> Status {
      PENSTOCK_ASSIGN(const SoundInfo info, decoder.open(stored.bytes));
      spec = {.channels = info.channels, .rate = info.rate, .bands = 0, .frames = 0};
      return {};
    });
    if (read) {
      return spec;
    }
    if (!first) {
      first = at_sample(std::move(read).error(), table, sample, field);
    }
  }
  if (first) {
    return std::move(*first);
  }
  return SoundSpec{};  // there is no sample
}

SoundShape shape_of(const SoundSpec& spec) {
  return {.channels = spec.channels,
          .rate = spec.rate,
          .bands = spec.bands,
          .frames = static_cast<std::int64_t>(spec.frames)};
}

Status plan_sounds(const SampleTable& table, const std::vector<TransformPtr>* operations,
                   ColumnPlan& column) {
  PENSTOCK_ASSIGN(const SoundSpec in, usual_sound(table, column.field));
  PENSTOCK_ASSIGN(
      SoundProgram program,
      SoundProgram::compile(operations != nullptr ? *operations : std::vector<TransformPtr>{}, in));
  const SoundSpec& output = program.output();
  column.shape = output.fixed_length() ? Column::Shape::sounds : Column::Shape::sound_list;
  column.row_bytes = output.rows() * static_cast<std::size_t>(output.frames) * sizeof(float);
  column.sound = std::move(program);
  return {};
}

Result<ColumnPlan> plan_column(const SampleTable& table, std::size_t number, const FieldInfo& field,
                               const std::vector<TransformPtr>* operations, MemoryFormat format) {
  ColumnPlan column{.field = number,
                    .info = field,
                    .shape = Column::Shape::blobs,
                    .chain = {},
                    .sound = {},
                    .array = {},
                    .row_bytes = 0};
  if (field.kind == FieldKind::image) {
    PENSTOCK_ASSIGN(PictureChain chain,
                    compile_chain(operations != nullptr ? *operations : std::vector<TransformPtr>{}, format));
    const ArraySpec output = chain.output();
    const bool pictures = chain.gives_pictures();
    if (output.fixed) {
      column.shape = pictures ? Column::Shape::pictures : Column::Shape::arrays;
      column.row_bytes = output.bytes();
    } else if (!pictures) {
      column.shape = Column::Shape::array_list;
    } else if (output.type == Scalar::uint8 || !chain.steps.empty()) {
      column.shape = Column::Shape::picture_list;
    } else {
      return invalid(
          fmt::format("the pictures of field '{}' differ in size, and floats need one size", field.name),
          "add RandomResizedCrop, CenterCrop, RandomCrop or Resize([h, w]), or leave out ToFloat and "
          "Normalize");
    }
    column.chain = std::move(chain);
  } else if (field.kind == FieldKind::audio) {
    PENSTOCK_TRY(plan_sounds(table, operations, column));
  } else if (operations != nullptr && !operations->empty()) {
    return invalid(fmt::format("transforms for field '{}', which holds {}", field.name, name_of(field.kind)),
                   "transforms work on fields of kind image and audio");
  } else if (field.kind == FieldKind::array) {
    column.shape = Column::Shape::arrays;
    column.array = table.spec(number).array;
    column.row_bytes = column.array->bytes();
  } else if (field.kind == FieldKind::integer) {
    column.shape = Column::Shape::integers;
    column.row_bytes = sizeof(std::int64_t);
  }
  return column;
}

}  // namespace

Result<Plan> Plan::make(const Dataset& dataset, const FieldTransforms& transforms,
                        const LoaderOptions& options) {
  const std::vector<FieldInfo>& fields = dataset.fields();
  const auto find_field = [&fields](const std::string& name) {
    return std::find_if(fields.begin(), fields.end(), [&name](const FieldInfo& f) { return f.name == name; });
  };
  for (const auto& [name, operations] : transforms) {
    if (!operations.empty() && find_field(name) == fields.end()) {
      if (dataset.size() == 0) {
        return invalid(fmt::format("transforms for field '{}', but the data set is empty", name),
                       "look into its shards: they hold no sample");
      }
      return invalid(fmt::format("transforms for field '{}', which the data set does not have", name),
                     fmt::format("its fields are: {}", names_of(fields)));
    }
  }

  for (const char* own : {"index", "key"}) {
    if (find_field(own) != fields.end()) {
      return name_is_taken(own);
    }
  }
  for (const char* own : {"data", "offsets", "sizes", "heights", "widths"}) {
    if (!options.decode && find_field(own) != fields.end()) {
      return name_is_taken(own);
    }
  }

  for (const FieldInfo& field : fields) {
    if (const std::string own = field.name + "_length";
        options.decode && field.kind == FieldKind::audio && find_field(own) != fields.end()) {
      return name_is_taken(own);
    }
  }

  Plan plan;
  // Both are written equally fast, so without a consumer that is known to prefer one there is no reason for
  // another than usual.
  plan.memory_format_ =
      options.memory_format == MemoryFormat::automatic ? MemoryFormat::channels_first : options.memory_format;
  for (std::size_t number = 0; number < fields.size(); ++number) {
    const FieldInfo& field = fields[number];
    if (!options.decode && field.kind != FieldKind::integer) {
      const bool first = !plan.raw_field_;
      const bool better =
          !first && field.kind == FieldKind::image && fields[*plan.raw_field_].kind != FieldKind::image;
      if (first || better) {
        plan.raw_field_ = number;
        plan.raw_name_ = field.name;
      }
      continue;
    }
    const auto chosen = std::find_if(transforms.begin(), transforms.end(),
                                     [&field](const auto& entry) { return entry.first == field.name; });
    PENSTOCK_ASSIGN(ColumnPlan column,
                    plan_column(*dataset.table(), number, field,
                                chosen == transforms.end() ? nullptr : &chosen->second, plan.memory_format_));
    plan.columns_.push_back(std::move(column));
  }
  if (!options.decode && !plan.raw_field_) {
    return invalid("decode=False, but the data set has no field with stored bytes",
                   fmt::format("its fields are: {}", names_of(fields)));
  }
  if (!options.decode &&
      std::any_of(transforms.begin(), transforms.end(), [](const auto& t) { return !t.second.empty(); })) {
    return invalid("decode=False together with transforms",
                   "stored bytes cannot be transformed: leave one of them out");
  }
  return plan;
}

std::size_t Plan::fixed_bytes(std::size_t rows) const noexcept {
  std::size_t bytes = round_up(rows * sizeof(std::int64_t)) * (1 + (raw_field_ ? kRawArrays : 0));
  for (const ColumnPlan& column : columns_) {
    bytes += round_up(rows * column.row_bytes);
    bytes += column.sound ? round_up(rows * sizeof(std::int64_t)) : 0;
  }
  return bytes;
}

void Plan::lay_out(std::uint8_t* memory, std::size_t capacity, std::vector<Column>& columns,
                   std::int64_t*& index, RawBytes& raw) const {
  const auto take = [&memory, capacity](std::size_t row_bytes) {
    std::uint8_t* start = memory;
    memory += round_up(capacity * row_bytes);
    return start;
  };
  const auto take_integers = [&take] { return reinterpret_cast<std::int64_t*>(take(sizeof(std::int64_t))); };
  columns.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnPlan& plan = columns_[i];
    Column& column = columns[i];
    const ArraySpec output = plan.output();
    column.field = plan.info;
    column.shape = plan.shape;
    column.format = memory_format_;
    switch (plan.shape) {
      case Column::Shape::pictures:
        column.type = element_of(output.type);
        column.size = {static_cast<int>(output.shape[1]), static_cast<int>(output.shape[0])};
        column.data = take(plan.row_bytes);
        break;
      case Column::Shape::arrays:
        column.scalar = output.type;
        column.extents = output.shape;
        column.data = take(plan.row_bytes);
        break;
      case Column::Shape::integers:
        column.integers = reinterpret_cast<std::int64_t*>(take(plan.row_bytes));
        break;
      case Column::Shape::picture_list:
        column.type = element_of(output.type);
        column.pictures.resize(capacity);
        break;
      case Column::Shape::array_list:
        column.scalar = output.type;
        column.arrays.resize(capacity);
        break;
      case Column::Shape::sounds:
        column.type = ElementType::float32;
        column.sound = shape_of(plan.sound->output());
        column.data = take(plan.row_bytes);
        column.integers = take_integers();
        break;
      case Column::Shape::sound_list:
        column.type = ElementType::float32;
        column.sound = shape_of(plan.sound->output());
        column.sounds.resize(capacity);
        column.integers = take_integers();
        break;
      case Column::Shape::blobs:
        column.blobs.resize(capacity);
        break;
    }
  }
  index = take_integers();
  if (raw_field_) {
    raw = {.data = {},
           .offsets = take_integers(),
           .sizes = take_integers(),
           .heights = take_integers(),
           .widths = take_integers()};
  }
}

bool Plan::varies() const noexcept {
  return raw_field_ || std::any_of(columns_.begin(), columns_.end(),
                                   [](const ColumnPlan& column) { return column.row_bytes == 0; });
}

std::size_t Plan::varying_bytes(const BatchStorage& storage) const noexcept {
  std::size_t bytes = raw_field_ ? storage.raw.data.size() : 0;
  for (const Column& column : storage.columns) {
    for (std::size_t row = 0; row < storage.rows; ++row) {
      if (storage.row_errors[row]) {
        continue;
      }
      if (column.shape == Column::Shape::picture_list) {
        bytes += (column.type == ElementType::float32 ? sizeof(float) : 1) * std::size_t{3} *
                 column.pictures[row].size.width * column.pictures[row].size.height;
      } else if (column.shape == Column::Shape::array_list) {
        bytes += ArraySpec{.type = column.scalar, .shape = column.arrays[row].shape, .fixed = false}.bytes();
      } else if (column.shape == Column::Shape::sound_list) {
        const int rows = column.sound.channels * std::max(column.sound.bands, 1);
        bytes += static_cast<std::size_t>(rows * column.sounds[row].frames) * sizeof(float);
      } else if (column.shape == Column::Shape::blobs) {
        bytes += column.blobs[row].size();
      }
    }
  }
  return bytes;
}

bool Plan::has_foreign() const noexcept {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const ColumnPlan& column) { return column.chain && !column.chain->steps.empty(); });
}

Status Plan::start_stages(int workers) const {
  for (const ColumnPlan& column : columns_) {
    for (std::size_t i = 0; column.chain && i < column.chain->steps.size(); ++i) {
      PENSTOCK_TRY(column.chain->steps[i].stage->start(workers));
    }
  }
  return {};
}

void Plan::stop_stages() const noexcept {
  for (const ColumnPlan& column : columns_) {
    for (std::size_t i = 0; column.chain && i < column.chain->steps.size(); ++i) {
      column.chain->steps[i].stage->stop();
    }
  }
}

std::size_t Plan::rows_per_item(std::size_t batch_rows, int workers) const noexcept {
  if (raw_field_) {
    return batch_rows;  // offsets are a running sum over the batch; different batches go to different workers
  }
  // Small enough that workers share a batch evenly, large enough that the tokens cost nothing beside the
  // work.
  constexpr std::size_t kMost = 8;
  const std::size_t shares = static_cast<std::size_t>(std::max(workers, 1)) * 4;
  return std::clamp<std::size_t>(batch_rows / shares, 1, kMost);
}

std::string Plan::describe() const {
  std::string text;
  for (const ColumnPlan& column : columns_) {
    const ArraySpec output = column.output();
    text += fmt::format("{} ({})", printable(column.info.name), name_of(column.info.kind));
    switch (column.shape) {
      case Column::Shape::pictures:
        text += fmt::format(": {} rows of {}x{}\n", name_of(output.type), output.shape[0], output.shape[1]);
        break;
      case Column::Shape::picture_list:
        text += fmt::format(": list of {} pictures, sizes vary\n", name_of(output.type));
        break;
      case Column::Shape::arrays:
        text += fmt::format(": rows of {}\n", output.to_string());
        break;
      case Column::Shape::array_list:
        text += fmt::format(": list of {} arrays, shapes vary\n", name_of(output.type));
        break;
      case Column::Shape::integers:
        text += ": int64\n";
        break;
      case Column::Shape::sounds:
        text += fmt::format(": float32 rows of {} frames\n", column.sound->output().frames);
        break;
      case Column::Shape::sound_list:
        text += ": float32, padded with zeros to the longest of the batch\n";
        break;
      case Column::Shape::blobs:
        text += ": bytes of each sample\n";
        break;
    }
    if (column.chain || column.sound) {
      const std::string steps = column.chain ? column.chain->describe() : column.sound->describe();
      for (std::size_t start = 0; start < steps.size();) {
        const std::size_t end = std::min(steps.find('\n', start), steps.size());
        text += "  " + steps.substr(start, end - start) + "\n";
        start = end + 1;
      }
    }
  }
  if (raw_field_) {
    text += fmt::format("data: stored bytes of {}, one buffer per batch\n", printable(raw_name_));
  }
  return text;
}

}  // namespace penstock
