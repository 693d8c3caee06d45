// Turns the fields of a case file into a Case, refusing the first that is wrong.
#include "reference/case_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "reference/json_object.h"
#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/quoted.h"

namespace normcheck::reference {
namespace {

constexpr std::string_view kSchema = "normcheck/case/1";
constexpr std::string_view kReserved[] = {"residual", "dy"};
constexpr std::string_view kNames[] = {"schema", "op",    "variant", "x_format", "param_format", "y_format",
                                       "rows",   "width", "epsilon", "x",        "gamma",        "beta",
                                       "pitch",  "y_pitch", "expected", "source", "residual",     "dy"};

// After the first fault every read gives a default and changes nothing.
class CaseReader {
 public:
  explicit CaseReader(const std::vector<JsonField>& fields) : fields_(fields) {}

  Result<Case> Read() {
    ReadFrame();
    if (!fault_) ReadSizes();
    if (!fault_) ReadArrays();
    if (!fault_) ReadPitches();
    if (fault_) return *fault_;
    return std::move(case_);
  }

 private:
  void ReadFrame();
  void ReadSizes();
  void ReadArrays();
  void ReadPitches();

  void Refuse(std::string_view field, std::string_view what) {
    if (!fault_) fault_ = Error{fmt::format("{}: {}", field, what)};
  }
  const JsonField* Find(std::string_view name) const {
    const auto is_it = [&](const JsonField& field) { return field.name == name; };
    const auto it = std::find_if(fields_.begin(), fields_.end(), is_it);
    return it == fields_.end() ? nullptr : &*it;
  }
  const JsonField* Need(std::string_view name, std::string_view example) {
    const JsonField* field = Find(name);
    if (field == nullptr) Refuse(name, fmt::format("missing; add {}", example));
    return field;
  }
  std::string_view Text(const JsonField& field, std::string_view example);
  std::string_view NeededText(std::string_view name, std::string_view example);
  std::size_t Count(const JsonField& field);
  Format ReadFormat(std::string_view name);
  double ReadEpsilon();
  bool IsArrayOf(const JsonField& field, std::size_t count, std::string_view shape);
  std::vector<Bits> Numbers(const JsonField& field, std::size_t count, std::string_view shape, Format format);
  std::optional<std::vector<Bits>> Parameters(std::string_view name);
  std::vector<Expected> ReadExpected(const JsonField& field);
  std::size_t Pitch(std::string_view name, std::size_t absent);

  const std::vector<JsonField>& fields_;
  std::optional<Error> fault_;
  Case case_;
};

std::string_view CaseReader::Text(const JsonField& field, std::string_view example) {
  if (!field.is_array && field.values[0].kind == JsonKind::kString) return field.values[0].text;
  const std::string found = field.is_array ? "an array" : Shown(field.values[0]);
  Refuse(field.name, fmt::format("a JSON string is needed, found {}; write {}", found, example));
  return {};
}

std::string_view CaseReader::NeededText(std::string_view name, std::string_view example) {
  const JsonField* field = Need(name, fmt::format("\"{}\": {}", name, example));
  return field != nullptr ? Text(*field, example) : std::string_view{};
}

// Integers that leave 64 bits reach this as kReal.
std::size_t CaseReader::Count(const JsonField& field) {
  std::size_t count = 0;
  const std::string found = field.is_array ? "an array" : Shown(field.values[0]);
  const bool is_integer = !field.is_array && field.values[0].kind == JsonKind::kInteger;
  const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), count);
  if (is_integer && error == std::errc{} && end == found.data() + found.size() && count < kCountLimit) return count;
  Refuse(field.name, fmt::format("a JSON integer is needed, found {}; write one from 0 to {}", found, kCountLimit - 1));
  return 0;
}

Format CaseReader::ReadFormat(std::string_view name) {
  const std::string_view text = NeededText(name, "\"f32\"");
  if (const auto format = norm::FormatNamed(text)) return *format;
  Refuse(name, fmt::format("{} is no format; write f32, f16 or bf16", Quoted(text)));
  return Format::kF32;
}

double CaseReader::ReadEpsilon() {
  const auto epsilon = ParseEpsilon(NeededText("epsilon", "\"1e-5\""));
  if (epsilon.ok()) return epsilon.value();
  Refuse("epsilon", epsilon.error());
  return 0;
}

void CaseReader::ReadFrame() {
  const std::string_view schema = NeededText("schema", "\"normcheck/case/1\"");
  if (schema != kSchema) Refuse("schema", fmt::format("{} is not read here; write {}", Quoted(schema), kSchema));
  for (const std::string_view name : kReserved)
    if (Find(name) != nullptr) Refuse(name, "reserved for a later version, not built yet; remove it");
  if (const JsonField* variant = Find("variant")) {
    const std::string_view text = Text(*variant, "\"standard\"");
    if (text != "standard") Refuse("variant", fmt::format("{} is not built; write standard", Quoted(text)));
  }
  const std::string_view op = NeededText("op", "\"layer_norm\"");
  const std::optional<Op> named = norm::OpNamed(op);
  if (!named) Refuse("op", fmt::format("{} is no op; write one of {}", Quoted(op), OpNames()));
  case_.op = named.value_or(case_.op);
  case_.formats.x = ReadFormat("x_format");
  case_.formats.params = ReadFormat("param_format");
  case_.formats.y = ReadFormat("y_format");
  case_.epsilon = ReadEpsilon();
  if (const JsonField* source = Find("source")) case_.source = Text(*source, "where the case comes from");
}

void CaseReader::ReadSizes() {
  const JsonField* rows = Need("rows", "\"rows\": 1");
  const JsonField* width = Need("width", "\"width\": 4");
  if (fault_) return;
  case_.rows = Count(*rows);
  case_.width = Count(*width);
  if (case_.rows > 0 && case_.width > kMaxPitchedElements / case_.rows)
    Refuse("rows", fmt::format("rows*width = {}*{} is beyond {} elements; write fewer", case_.rows, case_.width, kMaxPitchedElements));
}

bool CaseReader::IsArrayOf(const JsonField& field, std::size_t count, std::string_view shape) {
  if (field.is_array && field.values.size() == count) return true;
  if (!field.is_array)
    Refuse(field.name, fmt::format("a JSON array is needed, found {}; write [\"1\", \"2\"]", Shown(field.values[0])));
  else
    Refuse(field.name, fmt::format("{} entries, but {} is {}; mend the array or the sizes", field.values.size(), shape, count));
  return false;
}

std::string ElementName(const JsonField& field, std::size_t index) {
  return fmt::format("{}[{}]", field.name, index);
}

std::vector<Bits> CaseReader::Numbers(const JsonField& field, std::size_t count, std::string_view shape, Format format) {
  std::vector<Bits> out;
  if (!IsArrayOf(field, count, shape)) return out;
  out.reserve(count);
  for (std::size_t i = 0; i < count && !fault_; ++i) {
    const JsonScalar& scalar = field.values[i];
    const bool is_string = scalar.kind == JsonKind::kString;
    if (!is_string) Refuse(ElementName(field, i), fmt::format("found {} without quotes; write it as a string, \"1.5\"", Shown(scalar)));
    const auto number = ParseNumber(is_string ? scalar.text : "0", format);
    if (!number.ok()) Refuse(ElementName(field, i), number.error());
    out.push_back(number.ok() ? number.value() : 0);
  }
  return out;
}

std::optional<std::vector<Bits>> CaseReader::Parameters(std::string_view name) {
  const JsonField* field = Find(name);
  if (field == nullptr) return std::nullopt;
  return Numbers(*field, case_.width, "width", case_.formats.params);
}

// Kept as it was written; only has to be a number of y's format.
std::vector<Expected> CaseReader::ReadExpected(const JsonField& field) {
  std::vector<Expected> out;
  if (!IsArrayOf(field, case_.x.size(), "rows*width")) return out;
  for (std::size_t i = 0; i < field.values.size() && !fault_; ++i) {
    const JsonScalar& scalar = field.values[i];
    out.push_back(scalar.kind == JsonKind::kNull ? Expected{} : Expected{scalar.text});
    if (scalar.kind == JsonKind::kNull) continue;
    if (scalar.kind != JsonKind::kString)
      Refuse(ElementName(field, i), fmt::format("found {} without quotes; write a string or null", Shown(scalar)));
    const auto number = ParseNumber(scalar.text, case_.formats.y);
    if (!number.ok()) Refuse(ElementName(field, i), number.error());
  }
  return out;
}

void CaseReader::ReadArrays() {
  const JsonField* x = Need("x", "\"x\": [\"1\", \"2\"]");
  if (x == nullptr) return;
  case_.x = Numbers(*x, case_.rows * case_.width, "rows*width", case_.formats.x);
  if (!fault_) case_.gamma = Parameters("gamma");
  if (!fault_) case_.beta = Parameters("beta");
  const JsonField* expected = Find("expected");
  if (!fault_ && expected != nullptr) case_.expected = ReadExpected(*expected);
}

std::size_t CaseReader::Pitch(std::string_view name, std::size_t absent) {
  const JsonField* field = Find(name);
  if (field == nullptr) return absent;
  const std::size_t pitch = Count(*field);
  if (pitch < case_.width) Refuse(name, fmt::format("{} is below the width {}; write at least the width", pitch, case_.width));
  if (pitch > MaxPitch(case_.rows, case_.width))
    Refuse(name, fmt::format("{} rows with a pitch of {} are beyond {} elements; write a smaller pitch", case_.rows, pitch, kMaxPitchedElements));
  return pitch;
}

void CaseReader::ReadPitches() {
  case_.x_pitch = Pitch("pitch", case_.width);
  case_.y_pitch = Pitch("y_pitch", case_.x_pitch);
}

}  // namespace

Result<Case> ParseCase(std::string_view json, std::string_view origin) {
  const auto fields = ReadJsonObject(json, kNames);
  if (!fields.ok()) return Error{fmt::format("{}: {}", origin, fields.error())};
  Result<Case> c = CaseReader(fields.value()).Read();
  if (!c.ok()) return Error{fmt::format("{}: {}", origin, c.error())};
  return c;
}

}  // namespace normcheck::reference
