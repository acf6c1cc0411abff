#include "transforms/config.hpp"

#include <fmt/format.h>

#include <array>

#include "formats/json.hpp"
#include "transforms/catalog.hpp"

namespace penstock::inline v0 {
namespace {

Error wrong_config(const std::string& path, std::string_view message, std::string advice = {}) {
  return {.kind = ErrorKind::invalid,
          .message = fmt::format("{}: {}", path.empty() ? "the config" : path, message),
          .advice = std::move(advice),
          .place = {}};
}

/// "RandomCrop" of "torchvision.transforms.v2.RandomCrop"; empty for a class of somebody else.
std::string_view class_of_target(std::string_view target) {
  for (const std::string_view module : std::array<std::string_view, 3>{
           "penstock.transforms.", "torchvision.transforms.v2.", "torchvision.transforms."}) {
    if (target.starts_with(module) && target.find('.', module.size()) == std::string_view::npos) {
      return target.substr(module.size());
    }
  }
  return {};
}

Result<ParamValue> numbers_of(const std::string& path, const Json::List& list) {
  std::vector<std::int64_t> whole;
  std::vector<double> numbers;
  for (const Json& item : list) {
    const auto number = item.number();
    if (!number) {
      return wrong_config(path, "must be a list of numbers, got " + Json(list).text());
    }
    numbers.push_back(*number);
    if (!item.is_fraction()) {
      whole.push_back(item.negative() != nullptr ? *item.negative()
                                                 : static_cast<std::int64_t>(*item.whole()));
    }
  }
  return whole.size() == numbers.size() ? ParamValue(std::move(whole)) : ParamValue(std::move(numbers));
}

Result<std::vector<TransformPtr>> list_of(const std::string& path, const Json& given);

/// Of numbers, or of operations that another one holds.
Result<ParamValue> value_of_list(const std::string& path, const Json& given) {
  const Json::List& list = *given.list();
  if (list.empty() || list.front().members() == nullptr) {
    return numbers_of(path, list);
  }
  PENSTOCK_ASSIGN(auto operations, list_of(path, given));
  return ParamValue(HeldOperations{std::move(operations)});
}

Result<ParamValue> value_of(const std::string& path, const Json& given) {
  if (given.is_null()) {
    return ParamValue();
  }
  if (given.boolean() != nullptr) {
    return ParamValue(*given.boolean());
  }
  if (given.string() != nullptr) {
    return ParamValue(*given.string());
  }
  if (given.negative() != nullptr) {
    return ParamValue(*given.negative());
  }
  if (given.is_fraction()) {
    return ParamValue(*given.number());
  }
  if (given.whole()) {
    return ParamValue(static_cast<std::int64_t>(*given.whole()));
  }
  if (given.list() != nullptr) {
    return value_of_list(path, given);
  }
  return wrong_config(path, "must be a number, a string, a list or null, got " + given.text());
}

Result<std::string> name_of_entry(const std::string& path, const Json& entry) {
  const Json* const op = entry.find("op");
  const Json* const target = entry.find("_target_");
  if (op != nullptr && target == nullptr && op->string() != nullptr) {
    return *op->string();
  }
  if (target != nullptr && op == nullptr && target->string() != nullptr) {
    const std::string_view name = class_of_target(*target->string());
    if (name.empty()) {
      return wrong_config(path + "._target_",
                          "must be a class of penstock.transforms, got " + target->text());
    }
    return std::string(name);
  }
  return wrong_config(path, "must be {\"op\": name, ...}, got " + entry.text());
}

Result<TransformPtr> operation_of(const std::string& path, const Json& entry) {
  PENSTOCK_ASSIGN(const std::string name, name_of_entry(path, entry));
  Params params;
  for (const auto& [key, given] : *entry.members()) {
    if (key != "op" && key != "_target_") {
      PENSTOCK_ASSIGN(ParamValue value, value_of(path + "." + key, given));
      params.emplace_back(key, std::move(value));
    }
  }
  Result<TransformPtr> made = make_transform(name, params);
  if (!made.ok()) {
    return wrong_config(path, made.error().message, made.error().advice);
  }
  return made;
}

Result<std::vector<TransformPtr>> list_of(const std::string& path, const Json& given) {
  if (given.list() == nullptr) {
    return wrong_config(path, "must be a list of operations, got " + given.text());
  }
  std::vector<TransformPtr> operations;
  for (const Json& entry : *given.list()) {
    PENSTOCK_ASSIGN(TransformPtr operation,
                    operation_of(fmt::format("{}[{}]", path, operations.size()), entry));
    operations.push_back(std::move(operation));
  }
  return operations;
}

Result<View> view_of(const std::string& name, const Json& given) {
  const std::string path = "views." + name;
  const Json::List* const list = given.list();
  if (list == nullptr || list->size() != 2 || !(*list)[0].whole()) {
    PENSTOCK_ASSIGN(auto operations, list_of(path, given));
    return View{name, 0, std::move(operations)};
  }
  const std::uint64_t count = *(*list)[0].whole();
  if (count < 1 || count > 1U << 20) {
    return wrong_config(path + "[0]", fmt::format("must be a positive count, got {}", count));
  }
  PENSTOCK_ASSIGN(auto operations, list_of(path + "[1]", (*list)[1]));
  return View{name, static_cast<int>(count), std::move(operations)};
}

}  // namespace

Result<TransformsConfig> transforms_from_json(std::string_view text) {
  Result<Json> parsed = Json::parse(text);
  if (!parsed.ok()) {
    return wrong_config("", parsed.error().message, "it must be JSON");
  }
  TransformsConfig config;
  if (parsed->members() == nullptr) {
    PENSTOCK_ASSIGN(config.list, list_of("", *parsed));
    return config;
  }
  const Json* const views = parsed->find("views");
  if (views == nullptr || views->members() == nullptr || parsed->members()->size() != 1) {
    return wrong_config("",
                        "must be a list of operations, or {\"views\": {name: list}}, got " + parsed->text());
  }
  for (const auto& [name, given] : *views->members()) {
    PENSTOCK_ASSIGN(View view, view_of(name, given));
    config.views.push_back(std::move(view));
  }
  return config;
}

}  // namespace penstock::inline v0
