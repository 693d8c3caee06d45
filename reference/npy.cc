// Reads and writes .npy files. Source: NumPy, "NEP 1, a simple file format for NumPy arrays", and numpy.lib.format (2.0, 3.0).
#include "reference/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "reference/input_file.h"
#include "reference/quoted.h"

namespace normcheck::reference {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 34;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlign = 64;

std::size_t LittleEndian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// What the header's Python dictionary says.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } with its keys in any order.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::optional<Header> Read() {
    Header header;
    int seen = 0;
    if (!Take("{")) return std::nullopt;
    while (!Take("}")) {
      const std::optional<std::string> key = Quoted();
      if (!key || !Take(":")) return std::nullopt;
      if (!Value(*key, header, seen)) return std::nullopt;
      if (!Take(",") && !Peek("}")) return std::nullopt;
    }
    Blank();
    return text_.empty() && seen == 7 ? std::optional(header) : std::nullopt;
  }

 private:
  void Blank() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool Peek(std::string_view word) {
    Blank();
    return text_.starts_with(word);
  }
  bool Take(std::string_view word) {
    if (!Peek(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> Quoted() {
    Blank();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string word(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return word;
  }
  bool Value(const std::string& key, Header& header, int& seen) {
    if (key == "descr") {
      seen |= 1;
      return Descr(header.descr);
    }
    if (key == "fortran_order") {
      seen |= 2;
      header.fortran_order = Peek("True");
      return Take("True") || Take("False");
    }
    seen |= 4;
    return key == "shape" && Shape(header.shape);
  }
  // A list of fields stands where the type is a structure: its text is kept, for the message.
  bool Descr(std::string& descr) {
    if (!Peek("[")) {
      const std::optional<std::string> word = Quoted();
      descr = word.value_or("");
      return word.has_value();
    }
    descr = "a structure";
    const std::size_t end = text_.find(']');
    if (end == std::string_view::npos) return false;
    text_.remove_prefix(end + 1);
    return true;
  }
  bool Shape(std::vector<std::size_t>& shape) {
    if (!Take("(")) return false;
    while (!Take(")")) {
      Blank();
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc{}) return false;
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      shape.push_back(size);
      if (!Take(",") && !Peek(")")) return false;
    }
    return true;
  }

  std::string_view text_;
};

std::optional<Format> FormatOf(std::string_view descr) {
  if (descr == "<f4") return Format::kF32;
  if (descr == "<f2") return Format::kF16;
  if (descr == "<u2" || descr == "|V2" || descr == "<V2") return Format::kBf16;
  return std::nullopt;
}

std::optional<std::size_t> ElementsOf(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (std::size_t size : shape) {
    if (size != 0 && count > kMaxPitchedElements / size) return std::nullopt;
    count *= size;
  }
  return count;
}

Result<NpyArray> Refuse(const std::string& origin, const std::string& what) { return Error{origin + ": " + what}; }

Result<NpyArray> ReadData(const Header& header, std::string_view data, const std::string& origin) {
  const std::optional<Format> format = FormatOf(header.descr);
  if (!format)
    return Refuse(origin, fmt::format("dtype {} is not read; save float32, float16, or bfloat16 as its uint16 bits, little-endian",
                                      Quoted(header.descr)));
  if (header.fortran_order) return Refuse(origin, "is in Fortran order; save numpy.ascontiguousarray of it");
  const std::optional<std::size_t> count = ElementsOf(header.shape);
  if (!count) return Refuse(origin, fmt::format("the shape has more than {} elements; save fewer", kMaxPitchedElements));
  const std::size_t bytes = norm::TraitsOf(*format).bytes;
  if (data.size() != *count * bytes)
    return Refuse(origin, fmt::format("{} bytes of data, but the shape says {}; the file is {}, save it again", data.size(),
                                      *count * bytes, data.size() < *count * bytes ? "truncated" : "too long"));
  NpyArray array{*format, header.shape, std::vector<Bits>(*count)};
  for (std::size_t i = 0; i < *count; ++i) array.values[i] = static_cast<Bits>(LittleEndian(data.substr(i * bytes, bytes)));
  return array;
}

std::string ShapeText(const std::vector<std::size_t>& shape) {
  std::string text;
  for (std::size_t size : shape) text += fmt::format("{}, ", size);
  if (shape.size() > 1) text.resize(text.size() - 2);
  return "(" + (shape.size() == 1 ? text.substr(0, text.size() - 1) : text) + ")";
}

}  // namespace

Result<NpyArray> ParseNpy(std::string_view bytes, const std::string& origin) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) return Refuse(origin, "is no .npy file; save it with numpy.save");
  const int version = bytes[6];
  if (version < 1 || version > 3 || bytes[7] != 0)
    return Refuse(origin, fmt::format(".npy version {}.{} is not read; save version 1.0, 2.0 or 3.0", version, int{bytes[7]}));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  const std::size_t length = bytes.size() < start ? 0 : LittleEndian(bytes.substr(8, length_bytes));
  if (bytes.size() < start || bytes.size() - start < length) return Refuse(origin, "is truncated within its header; save it again");
  const std::optional<Header> header = HeaderReader(bytes.substr(start, length)).Read();
  if (!header) return Refuse(origin, "its header is not the dictionary of descr, fortran_order and shape; save it with numpy.save");
  return ReadData(*header, bytes.substr(start + length), origin);
}

Result<NpyArray> ReadNpyFile(const std::string& path) {
  const Result<std::string> bytes = ReadInputFile(path, kMaxFileBytes);
  if (!bytes.ok()) return Refuse(path, "cannot be read: " + bytes.error() + "; give the path of a .npy file");
  return ParseNpy(bytes.value(), path);
}

std::string NpyBytes(const NpyArray& array) {
  constexpr std::string_view kDescr[] = {"<f4", "<f2", "<u2"};
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   kDescr[static_cast<int>(array.format)], ShapeText(array.shape));
  const std::size_t start = kMagic.size() + 4;
  header.append(kAlign - (start + header.size() + 1) % kAlign, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  for (Bits value : array.values)
    for (std::size_t i = 0; i < norm::TraitsOf(array.format).bytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace normcheck::reference
