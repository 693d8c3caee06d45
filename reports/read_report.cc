// Checks a report's JSON field by field.
#include "reports/read_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reference/input_file.h"
#include "reference/quoted.h"
#include "reference/visible_text.h"
#include "reports/figures.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

using reference::Error;
using reference::Quoted;
using reference::Result;

constexpr std::string_view kSchema = "normcheck/report/1";
constexpr std::string_view kLawStates[] = {"kept", "broken", "gave up", "not supported"};
constexpr const char* kKeys[] = {"op", "x_format", "param_format", "y_format", "family", "width_band", "epsilon"};

// After the first fault every check passes and changes nothing.
class Checker {
 public:
  explicit Checker(ReadAs as) : as_(as) {}

  std::optional<std::string> Check(const Json& report) {
    if (!report.is_object()) return "no JSON object; name a report.json";
    CheckHead(report);
    if (!fault_) CheckKernels(report.at("kernels"), report.contains("shard"));
    return fault_;
  }

 private:
  void Refuse(const std::string& field, const std::string& what) {
    if (!fault_) fault_ = field + ": " + what;
  }

  // The field if it is there and of the kind that `is` asks for.
  template <typename Is>
  const Json* Need(const Json& object, const std::string& where, const char* name, const char* kind, Is is) {
    const auto found = object.find(name);
    if (found != object.end() && is(*found)) return &*found;
    Refuse(where + name, fmt::format("{}, {} is needed; make the file again with normcheck report",
                                     found == object.end() ? "missing" : "found " + Quoted(found->dump()), kind));
    return nullptr;
  }
  std::string Text(const Json& object, const std::string& where, const char* name) {
    const Json* text = Need(object, where, name, "a string", [](const Json& value) { return value.is_string(); });
    return text == nullptr ? "" : text->get<std::string>();
  }
  bool Flag(const Json& object, const std::string& where, const char* name) {
    return Need(object, where, name, "true or false", [](const Json& value) { return value.is_boolean(); }) != nullptr;
  }
  const Json* List(const Json& object, const std::string& where, const char* name) {
    return Need(object, where, name, "an array", [](const Json& value) { return value.is_array(); });
  }
  void Count(const Json& object, const std::string& where, const char* name) {
    Need(object, where, name, "a count", [](const Json& value) { return value.is_number_unsigned(); });
  }
  void NumberOrNull(const Json& object, const std::string& where, const char* name, bool is_signed) {
    Need(object, where, name, "a number or null",
         [&](const Json& value) { return value.is_null() || (value.is_number() && (is_signed || value.get<double>() >= 0)); });
  }

  void CheckHead(const Json& report);
  void CheckShard(const Json& report);
  void CheckKernels(const Json& kernels, bool is_shard);
  void CheckCells(const Json& cells, const std::string& where);
  void CheckCell(const Json& cell, const std::string& where);
  void CheckWorst(const Json& worst, const std::string& where);
  void CheckFile(const std::string& file, const std::string& where);
  void CheckAsked(const Json& kernel, const std::string& where);
  void CheckLeftOut(const Json& cell, const std::string& where);
  void CheckLaws(const Json& kernel, const std::string& where);
  void CheckLaw(const Json& law, const std::string& where);

  ReadAs as_;
  std::optional<std::string> fault_;
};

void Checker::CheckHead(const Json& report) {
  const std::string schema = Text(report, "", "schema");
  if (schema != kSchema) Refuse("schema", Quoted(schema) + " is not read here; it must be " + std::string(kSchema));
  const std::string mode = Text(report, "", "mode");
  if (mode != "quick" && mode != "default" && mode != "full") Refuse("mode", Quoted(mode) + " is none of quick, default, full");
  Count(report, "", "seed");
  List(report, "", "kernels");
  CheckShard(report);
  if (as_ == ReadAs::kFigures) return;
  const Json* environment = Need(report, "", "environment", "an object", [](const Json& value) { return value.is_object(); });
  if (environment == nullptr) return;
  for (const auto& [name, value] : environment->items()) Text(*environment, "environment.", name.c_str());
}

void Checker::CheckShard(const Json& report) {
  const auto shard = report.find("shard");
  if (shard == report.end() || fault_) return;
  if (!shard->is_object()) return Refuse("shard", "an object with index and count is needed");
  Count(*shard, "shard.", "index");
  Count(*shard, "shard.", "count");
  if (fault_) return;
  const auto index = shard->at("index").get<std::uint64_t>(), count = shard->at("count").get<std::uint64_t>();
  if (count > kMaxShards) Refuse("shard.count", fmt::format("{} is beyond {}", count, kMaxShards));
  if (index < 1 || index > count) Refuse("shard.index", fmt::format("{} is not within 1 to {}", index, count));
}

void Checker::CheckKernels(const Json& kernels, bool is_shard) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kernels.size() && !fault_; ++i) {
    const Json& kernel = kernels[i];
    const std::string where = fmt::format("kernels[{}].", i);
    if (!kernel.is_object()) return Refuse(where, "a kernel must be an object");
    const std::string name = Text(kernel, where, "name");
    if (!names.insert(name).second) Refuse(where + "name", Quoted(name) + " is there twice");
    Text(kernel, where, "contract");
    Flag(kernel, where, "kept");
    if (is_shard) Count(kernel, where, "planned");
    if (as_ == ReadAs::kWhole) {
      Text(kernel, where, "about");
      List(kernel, where, "curves");
      Flag(kernel, where, "contract_stated");
    }
    CheckAsked(kernel, where);
    CheckLaws(kernel, where);
    if (const Json* cells = List(kernel, where, "cells")) CheckCells(*cells, where);
  }
}

void Checker::CheckCells(const Json& cells, const std::string& where) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < cells.size() && !fault_; ++i) {
    const std::string at = fmt::format("{}cells[{}].", where, i);
    if (!cells[i].is_object()) return Refuse(at, "a cell must be an object");
    CheckCell(cells[i], at);
    if (!fault_ && !names.insert(CellName(cells[i])).second) Refuse(at, "the cell " + CellName(cells[i]) + " is there twice");
  }
}

void Checker::CheckCell(const Json& cell, const std::string& where) {
  for (const char* key : kKeys) Text(cell, where, key);
  Flag(cell, where, "kept");
  if (cell.contains("fault")) Text(cell, where, "fault");
  CheckLeftOut(cell, where);
  for (const CellFigure& figure : CellFigures()) {
    const std::string name(figure.name);
    const bool error = figure.kind == FigureKind::kUlp || figure.kind == FigureKind::kSignedUlp;
    if (error) NumberOrNull(cell, where, name.c_str(), figure.kind == FigureKind::kSignedUlp);
    else Count(cell, where, name.c_str());
  }
  if (as_ == ReadAs::kFigures) return;
  Need(cell, where, "row_ulp_octaves", "an object", [](const Json& v) { return v.is_object(); });
  const Json* worst = Need(cell, where, "worst", "an object or null", [](const Json& v) { return v.is_object() || v.is_null(); });
  if (worst != nullptr && worst->is_object()) CheckWorst(*worst, where + "worst.");
}

void Checker::CheckWorst(const Json& worst, const std::string& where) {
  for (const char* name : {"x", "got", "want", "fault"}) Text(worst, where, name);
  for (const char* name : {"row", "index", "rows", "width"}) Count(worst, where, name);
  for (const char* name : {"ulp", "row_ulp", "bound_ratio"}) NumberOrNull(worst, where, name, false);
  const std::string file = Text(worst, where, "file");
  CheckFile(file, where);
  const Json* diagnosis = List(worst, where, "diagnosis");
  for (std::size_t i = 0; diagnosis != nullptr && i < diagnosis->size(); ++i) {
    const std::string at = fmt::format("{}diagnosis[{}].", where, i);
    if (!(*diagnosis)[i].is_object()) return Refuse(at, "an object is needed");
    for (const char* name : {"id", "text"}) Text((*diagnosis)[i], at, name);
  }
}

void Checker::CheckFile(const std::string& file, const std::string& where) {
  if (!file.starts_with("worst/") || file.find('/', 6) != std::string::npos)
    Refuse(where + "file", Quoted(file) + " is no file of the report's folder worst");
}

void Checker::CheckAsked(const Json& kernel, const std::string& where) {
  if (!kernel.contains("asked")) return;
  const Json* asked = Need(kernel, where, "asked", "an object", [](const Json& value) { return value.is_object(); });
  if (asked == nullptr) return;
  Count(*asked, where + "asked.", "outputs");
  Count(*asked, where + "asked.", "of");
  const Json* reasons = List(*asked, where + "asked.", "not");
  if (reasons != nullptr && std::ranges::any_of(*reasons, [](const Json& reason) { return !reason.is_string(); }))
    Refuse(where + "asked.not", "an array of strings is needed");
}

void Checker::CheckLeftOut(const Json& cell, const std::string& where) {
  if (!cell.contains("left_out")) return;
  const Json* reasons = Need(cell, where, "left_out", "an object", [](const Json& value) { return value.is_object(); });
  if (reasons == nullptr) return;
  for (const auto& [reason, outputs] : reasons->items()) Count(*reasons, where + "left_out.", reason.c_str());
}

// Reports made by earlier versions have no laws.
void Checker::CheckLaws(const Json& kernel, const std::string& where) {
  if (!kernel.contains("laws")) return;
  const Json* laws = List(kernel, where, "laws");
  std::set<std::string> names;
  for (std::size_t i = 0; laws != nullptr && i < laws->size() && !fault_; ++i) {
    const std::string at = fmt::format("{}laws[{}].", where, i);
    if (!(*laws)[i].is_object()) return Refuse(at, "a law must be an object");
    CheckLaw((*laws)[i], at);
    if (!names.insert(Text((*laws)[i], at, "law")).second) Refuse(at, "this law is there twice");
  }
}

void Checker::CheckLaw(const Json& law, const std::string& where) {
  const std::string state = Text(law, where, "state");
  if (std::ranges::find(kLawStates, state) == std::end(kLawStates))
    Refuse(where + "state", Quoted(state) + " is no state of a law");
  if (as_ == ReadAs::kFigures || fault_) return;
  Count(law, where, "cases");
  Text(law, where, "seen");
  if (state == "broken") Flag(law, where, "alone");
  if (law.contains("file")) CheckFile(Text(law, where, "file"), where);
  else if (state == "broken" && !fault_ && law.at("alone").get<bool>())
    Refuse(where + "file", "missing; a law that breaks alone has a case");
}

Result<Json> Parse(const std::string& path) {
  const Result<std::string> read = reference::ReadInputFile(path, kMaxFileBytes);
  if (!read.ok()) return Error{path + ": cannot be read: " + read.error() + "; name a report.json or a baseline"};
  const std::string& text = read.value();
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const bool cut = error.byte > text.size();
    return Error{fmt::format("{}: byte {}: {}; make the file again with normcheck report", path, error.byte,
                             cut ? "the file ends early" : "no JSON")};
  } catch (const Json::exception&) {
    return Error{path + ": holds a number beyond every format; make the file again with normcheck report"};
  }
}

}  // namespace

Result<Json> ReadReport(const std::string& path, ReadAs as) {
  Result<Json> json = Parse(path);
  if (!json.ok()) return json;
  const std::optional<std::string> fault = Checker(as).Check(json.value());
  if (fault) return Error{path + ": " + *fault};
  return json;
}

std::string CellName(const Json& cell) {
  const auto text = [&](const char* name) { return cell.at(name).get<std::string>(); };
  return fmt::format("{} {}/{}/{} {} {} eps {}", text("op"), text("x_format"), text("param_format"), text("y_format"),
                     text("family"), text("width_band"), text("epsilon"));
}

std::string BaselineText(const Json& report) {
  std::string text = fmt::format("{{\"schema\":\"{}\",\"mode\":{},\"seed\":{},\"kernels\":[", kSchema, report.at("mode").dump(),
                                 report.at("seed").dump());
  std::string kernel_comma;
  for (Json kernel : report.at("kernels")) {
    const Json cells = std::move(kernel.at("cells"));
    if (kernel.contains("laws"))
      for (Json& law : kernel.at("laws")) law = {{"law", law.at("law")}, {"state", law.at("state")}};
    for (const char* name : {"about", "curves", "cells"}) kernel.erase(name);
    std::string head = reference::JsonText(kernel);
    head.pop_back();
    text += kernel_comma + "\n" + head + ",\"cells\":[";
    std::string comma;
    for (Json cell : cells) {
      for (const char* name : {"row_ulp_octaves", "worst", "replay"}) cell.erase(name);
      text += comma + "\n" + reference::JsonText(cell);
      comma = ",";
    }
    text += "]}";
    kernel_comma = ",";
  }
  return text + "]}\n";
}

}  // namespace normcheck::reports
