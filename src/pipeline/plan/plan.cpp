#include "pipeline/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/printable.hpp"
#include "formats/sample_table.hpp"
#include "penstock/foreign_stage.hpp"
#include "pipeline/fill/raw_filler.hpp"
#include "pipeline/plan/field_fills.hpp"
#include "pipeline/plan/list_fields.hpp"
#include "pipeline/plan/plan_parts.hpp"
#include "transforms/batch/batch_operation.hpp"

namespace penstock::inline v0 {

namespace {

constexpr std::size_t kRawArrays = 4;  // offsets, sizes, heights, widths

Error name_is_taken(const std::string& name) {
  return invalid(fmt::format("the data set has a field '{}', a name that is reserved in batches", name),
                 fmt::format("rename it: Dataset(..., fields={{\"my_{}\": \"{}\", ...}})", name, name));
}

/// The field of that name, or null.
const FieldInfo* find_field(const std::vector<FieldInfo>& fields, const std::string& name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&name](const FieldInfo& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

/// Lists of operations are for fields that there are.
Status check_listed_fields(const Dataset& dataset, const FieldTransforms& lists) {
  for (const auto& [name, operations] : lists) {
    if (operations.empty() || find_field(dataset.fields(), name) != nullptr) {
      continue;
    }
    if (dataset.size() == 0) {
      return invalid(fmt::format("cannot transform field '{}': the data set is empty", name),
                     "check its shards: they contain no samples");
    }
    return invalid(fmt::format("cannot transform field '{}': the data set has no such field", name),
                   fmt::format("its fields are: {}", names_of(dataset.fields())));
  }
  return {};
}

/// No field has a name that batches use for something else.
Status check_field_names(const std::vector<FieldInfo>& fields, const LoaderOptions& options) {
  std::vector<std::string> taken = {"index", "key"};
  if (!options.decode) {
    taken.insert(taken.end(), {"data", "offsets", "sizes", "heights", "widths"});
  }
  for (const FieldInfo& field : fields) {
    const bool has_length = field.kind == FieldKind::audio;
    const bool has_size = field.kind == FieldKind::image && options.pad_images;
    if (options.decode && (has_length || has_size)) {
      taken.push_back(field.name + (has_length ? "_length" : "_size"));
    }
  }
  for (const std::string& name : taken) {
    if (find_field(fields, name) != nullptr) {
      return name_is_taken(name);
    }
  }
  return {};
}

/// The operations on whole batches, taken out of the lists.
Result<std::vector<TransformPtr>> take_all_batch_operations(const Dataset& dataset, FieldTransforms& lists) {
  const std::optional<std::size_t> image = sample_image(dataset);
  const std::string mixed = image ? dataset.fields()[*image].name : kViewedField;
  std::vector<TransformPtr> all;
  for (auto& [name, operations] : lists) {
    PENSTOCK_ASSIGN(std::vector<TransformPtr> taken, take_batch_operations(operations));
    if (!taken.empty() && name != mixed) {
      return invalid(fmt::format("{} cannot be used for field '{}'", taken[0]->name(), name),
                     fmt::format("it mixes the field '{}'", mixed));
    }
    all.insert(all.end(), taken.begin(), taken.end());
  }
  return all;
}

/// The field whose stored bytes are delivered: the first image, or the first that has bytes.
Result<std::size_t> choose_raw_field(const std::vector<FieldInfo>& fields,
                                     const FieldTransforms& transforms) {
  const auto first_that = [&fields](auto&& holds) {
    return std::find_if(fields.begin(), fields.end(), holds);
  };
  auto chosen = first_that([](const FieldInfo& field) { return field.kind == FieldKind::image; });
  if (chosen == fields.end()) {
    chosen = first_that([](const FieldInfo& field) { return !is_number(field.kind); });
  }
  if (chosen == fields.end()) {
    return invalid("decode=False, but the data set has no field with stored bytes",
                   fmt::format("its fields are: {}", names_of(fields)));
  }
  if (std::any_of(transforms.begin(), transforms.end(), [](const auto& t) { return !t.second.empty(); })) {
    return invalid("decode=False cannot be combined with transforms",
                   "stored bytes cannot be transformed; omit one of them");
  }
  return static_cast<std::size_t>(chosen - fields.begin());
}

/// Views and labels of boxes bring names of their own.
Status check_column_names(const std::vector<ColumnPlan>& columns) {
  std::set<std::string> names = {"index", "key"};
  for (const ColumnPlan& column : columns) {
    std::vector<std::string> own = {column.info.name};
    if (column.has_lengths || (column.padded && column.format)) {
      own.push_back(column.info.name + (column.has_lengths ? "_length" : "_size"));
    }
    for (const std::string& name : own) {
      if (!names.insert(name).second) {
        return invalid(fmt::format("two columns of a batch would be called '{}'", name),
                       "use another name for the view or the field");
      }
    }
  }
  return {};
}

}  // namespace

Result<Plan> Plan::make(const Dataset& dataset, const FieldTransforms& transforms,
                        const std::vector<View>& views, const LoaderOptions& options, const RowRecipe& rows) {
  const std::vector<FieldInfo>& fields = dataset.fields();
  PENSTOCK_ASSIGN(FieldTransforms lists, lists_by_field(dataset, transforms));
  PENSTOCK_TRY(check_listed_fields(dataset, lists));
  PENSTOCK_TRY(check_field_names(fields, options));
  if (!views.empty()) {
    PENSTOCK_TRY(check_views(views, dataset, lists, options));
  }
  PENSTOCK_ASSIGN(std::vector<TransformPtr> batch_operations, take_all_batch_operations(dataset, lists));
  const std::optional<PlaneFields> plane = plane_of(dataset, transforms, views);

  Plan plan;
  // Both are written equally fast, so without a consumer that is known to prefer one there is no reason for
  // another than usual.
  plan.memory_format_ =
      options.memory_format == MemoryFormat::automatic ? MemoryFormat::channels_first : options.memory_format;
  const FieldFills fills{.dataset = dataset,
                         .transforms = transforms,
                         .lists = lists,
                         .views = views,
                         .batch_operations = batch_operations,
                         .plane = plane,
                         .rows = rows,
                         .format = plan.memory_format_,
                         .options = options};
  for (std::size_t number = 0; number < fields.size(); ++number) {
    if (!options.decode && !is_number(fields[number].kind)) {
      continue;  // stored bytes, which only one field has in a batch
    }
    PENSTOCK_ASSIGN(FillPlanPtr fill, fills.of(number));
    if (fill) {
      plan.add(std::move(fill));
    }
  }
  if (!options.decode) {
    PENSTOCK_ASSIGN(plan.raw_field_, choose_raw_field(fields, transforms));
    plan.raw_name_ = fields[*plan.raw_field_].name;
  }
  if (!batch_operations.empty()) {
    PENSTOCK_TRY(plan.plan_batch_operations(dataset, std::move(batch_operations)));
  }
  if (plan.raw_field_) {
    plan.add(plan_raw(*plan.raw_field_));  // last: a row's bytes are there once the rest of it is good
  }
  PENSTOCK_TRY(check_column_names(plan.columns_));
  PENSTOCK_TRY(plan.check_parts(*rows.plan));
  return plan;
}

Status Plan::check_parts(const RowPlan& rows) const {
  for (const FillPlanPtr& fill : fills_) {
    if (rows.max_parts() > 1 && !fill->takes_several_parts()) {
      return invalid(
          fmt::format("rows have up to {} parts, but '{}' can be made from only one", rows.max_parts(),
                      fill->columns().empty() ? raw_name_ : fill->columns()[0].info.name),
          "omit the field: Dataset(..., fields={...})");
    }
  }
  return {};
}

Plan Plan::of(std::vector<FillPlanPtr> fills, MemoryFormat format) {
  Plan plan;
  plan.memory_format_ = format;
  for (FillPlanPtr& fill : fills) {
    plan.add(std::move(fill));
  }
  return plan;
}

void Plan::add(FillPlanPtr fill) {
  columns_.insert(columns_.end(), fill->columns().begin(), fill->columns().end());
  DrawnLists lists = draws_ ? *draws_ : DrawnLists{};
  for (DrawnListPlan& list : fill->drawn_lists()) {
    lists.push_back(std::move(list));
  }
  draws_ = std::make_shared<const DrawnLists>(std::move(lists));
  fills_.push_back(std::move(fill));
}

std::size_t Plan::fixed_bytes(std::size_t rows) const noexcept {
  std::size_t bytes = round_up(rows * sizeof(std::int64_t)) * (1 + (raw_field_ ? kRawArrays : 0));
  for (const ColumnPlan& column : columns_) {
    bytes += round_up(rows * column.row_bytes());
    bytes += column.has_lengths ? round_up(rows * sizeof(std::int64_t)) : 0;
  }
  return bytes;
}

void Plan::lay_out(BatchStorage& storage, std::size_t capacity) const {
  std::uint8_t* memory = storage.fixed.data();
  const auto take = [&memory, capacity](std::size_t row_bytes) {
    std::uint8_t* const start = memory;
    memory += round_up(capacity * row_bytes);
    return start;
  };
  const auto take_integers = [&take] { return reinterpret_cast<std::int64_t*>(take(sizeof(std::int64_t))); };
  storage.columns.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnPlan& plan = columns_[i];
    Column& column = storage.columns[i];
    column.field = plan.info;
    column.spec = plan.spec;
    column.format = plan.format;
    column.rate = plan.rate;
    column.padded = plan.padded;
    column.boxes = plan.boxes;
    if (plan.spec.fixed()) {
      column.row_bytes = plan.row_bytes();
      column.data = take(column.row_bytes);
    } else {
      column.rows.resize(capacity);
    }
    column.lengths = plan.has_lengths ? take_integers() : nullptr;
  }
  storage.index = take_integers();
  storage.has_raw = raw_field_.has_value();
  if (raw_field_) {
    storage.raw = {.data = {},
                   .offsets = take_integers(),
                   .sizes = take_integers(),
                   .heights = take_integers(),
                   .widths = take_integers()};
  }
  storage.row_errors.resize(capacity);
  storage.drawn.resize(capacity);
  storage.draws = draws_;
  storage.batch_draws = batch_draws_;
  storage.row_memory.resize(std::max<std::size_t>(1, capacity * columns_.size()));
}

bool Plan::varies() const noexcept {
  return raw_field_ || std::any_of(columns_.begin(), columns_.end(),
                                   [](const ColumnPlan& column) { return !column.spec.fixed(); });
}

std::size_t Plan::varying_bytes(const BatchStorage& storage) const noexcept {
  std::size_t bytes = raw_field_ ? storage.raw.data.size() : 0;
  for (const Column& column : storage.columns) {
    for (std::size_t row = 0; column.ragged() && row < storage.rows; ++row) {
      bytes += storage.row_errors[row] ? 0 : column.bytes_of(row).size();
    }
  }
  return bytes;
}

std::size_t Plan::varying_pieces(std::size_t rows, std::size_t runs) const noexcept {
  std::size_t pieces = raw_field_ ? runs : 0;
  for (const ColumnPlan& column : columns_) {
    pieces += column.spec.fixed() ? 0 : column.shares_memory ? runs : rows;
  }
  return pieces;
}

bool Plan::has_foreign() const noexcept {
  return std::any_of(fills_.begin(), fills_.end(),
                     [](const FillPlanPtr& fill) { return !fill->foreign_stages().empty(); });
}

Status Plan::start_stages(int workers) const {
  for (const FillPlanPtr& fill : fills_) {
    for (ForeignStage* const stage : fill->foreign_stages()) {
      PENSTOCK_TRY(stage->start(workers));
    }
  }
  return {};
}

void Plan::stop_stages() const noexcept {
  for (const FillPlanPtr& fill : fills_) {
    for (ForeignStage* const stage : fill->foreign_stages()) {
      stage->stop();
    }
  }
}

std::size_t Plan::rows_per_item(std::size_t batch_rows, int workers) const noexcept {
  if (raw_field_) {
    return batch_rows;  // offsets are a running sum over the batch; different batches go to different workers
  }
  // Small enough that workers share a batch evenly, large enough that the tokens cost nothing beside the
  // work.
  constexpr std::size_t kMax = 8;
  const std::size_t shares = static_cast<std::size_t>(std::max(workers, 1)) * 4;
  return std::clamp<std::size_t>(batch_rows / shares, 1, kMax);
}

std::vector<std::pair<std::string, std::string>> Plan::remarks() const {
  std::vector<std::pair<std::string, std::string>> remarks;
  for (const FillPlanPtr& fill : fills_) {
    if (std::string remark = fill->remark(); !remark.empty()) {
      remarks.emplace_back(fill->columns().front().info.name, std::move(remark));
    }
  }
  return remarks;
}

std::string Plan::describe() const {
  std::string text;
  for (const FillPlanPtr& fill : fills_) {
    for (std::size_t i = 0; i < fill->columns().size(); ++i) {
      const FieldInfo& field = fill->columns()[i].info;
      text +=
          fmt::format("{} ({}): {}\n", printable(field.name), name_of(field.kind), fill->rows_in_words(i));
    }
    const std::string work = fill->work_in_words();
    for (std::size_t start = 0; start < work.size();) {
      const std::size_t end = std::min(work.find('\n', start), work.size());
      text += "  " + work.substr(start, end - start) + "\n";
      start = end + 1;
    }
  }
  if (batch_draws_) {
    std::string names;
    for (const TransformPtr& operation : batch_draws_->operations()) {
      names += (names.empty() ? "" : ", ") + repr(*operation);
    }
    text += fmt::format("then on whole batches: {}\n", names);
  }
  if (raw_field_) {
    text += fmt::format("data: stored bytes of {}, one buffer per batch\n", printable(raw_name_));
  }
  return text;
}

}  // namespace penstock::inline v0
