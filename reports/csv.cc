// Writes CSV.
#include "reports/csv.h"

namespace normcheck::reports {
namespace {

constexpr const char* kColumns[] = {"op",         "x_format",     "param_format",      "y_format",       "family",       "width_band",
                                    "epsilon",    "kept",         "judged",            "correctly_rounded", "class_faults", "undefined",
                                    "no_promise", "not_checked",  "broken",            "beyond_element", "max_ulp",      "p999_ulp",
                                    "max_row_ulp", "p999_row_ulp", "mean_row_ulp",     "bias_ulp",       "bound_ratio",  "fault"};

std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string Field(const Json& object, const char* name) {
  const auto value = object.find(name);
  if (value == object.end() || value->is_null()) return "";
  return Field(value->is_string() ? value->get<std::string>() : value->dump());
}

std::string Line(const std::string& kernel, const Json& cell) {
  std::string line = Field(kernel);
  for (const char* column : kColumns) line += "," + Field(cell, column);
  const Json& worst = cell.at("worst");
  return line + "," + (worst.is_null() ? "" : Field(worst, "file")) + "\r\n";
}

}  // namespace

std::string ReportCsv(const Json& report) {
  std::string csv = "kernel";
  for (const char* column : kColumns) csv += std::string(",") + column;
  csv += ",worst_file\r\n";
  for (const Json& kernel : report.at("kernels"))
    for (const Json& cell : kernel.at("cells")) csv += Line(kernel.at("name").get<std::string>(), cell);
  return csv;
}

}  // namespace normcheck::reports
