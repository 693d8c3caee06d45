// A small recursive template filler.
#include "reports/template.h"

#include <vector>

#include "reference/visible_text.h"

namespace normcheck::reports {
namespace {

using Json = nlohmann::ordered_json;
using Stack = std::vector<const Json*>;

const Json* Look(const Stack& stack, const std::string& name) {
  for (auto scope = stack.rbegin(); scope != stack.rend(); ++scope) {
    if (!(*scope)->is_object()) continue;
    const auto found = (*scope)->find(name);
    if (found != (*scope)->end()) return &*found;
  }
  return nullptr;
}

std::string TextOf(const Json* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

bool Shows(const Json* value) {
  if (value == nullptr || value->is_null()) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_string()) return !value->get_ref<const std::string&>().empty();
  return !value->is_structured() || !value->empty();
}

// A tag "{{...}}": its sigil ('#', '^', '/', '{' or 0), its name, and where it begins and ends.
struct Tag {
  char sigil = 0;
  std::string name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool NextTag(std::string_view text, std::size_t from, Tag& tag) {
  const std::size_t open = text.find("{{", from);
  if (open == std::string_view::npos) return false;
  const bool raw = text.substr(open, 3) == "{{{";
  const std::string_view closer = raw ? "}}}" : "}}";
  const std::size_t body = open + (raw ? 3 : 2);
  const std::size_t close = text.find(closer, body);
  if (close == std::string_view::npos) return false;
  std::string name(text.substr(body, close - body));
  char sigil = raw ? '{' : '\0';
  if (!raw && !name.empty() && std::string_view("#^/").find(name[0]) != std::string_view::npos) {
    sigil = name[0];
    name.erase(0, 1);
  }
  tag = {sigil, std::move(name), open, close + closer.size()};
  return true;
}

// The closing tag of the section that `open` opens, sections of the same name inside it skipped.
Tag ClosingTag(std::string_view text, const Tag& open) {
  int depth = 1;
  Tag tag;
  for (std::size_t from = open.end; NextTag(text, from, tag); from = tag.end) {
    if (tag.name != open.name) continue;
    if (tag.sigil == '/') --depth;
    if (tag.sigil == '#' || tag.sigil == '^') ++depth;
    if (depth == 0) return tag;
  }
  return {'/', open.name, text.size(), text.size()};
}

void Fill(std::string_view text, Stack& stack, std::string& out);

void FillWith(std::string_view text, const Json& scope, Stack& stack, std::string& out) {
  stack.push_back(&scope);
  Fill(text, stack, out);
  stack.pop_back();
}

void FillSection(std::string_view inside, const Tag& tag, Stack& stack, std::string& out) {
  const Json* value = Look(stack, tag.name);
  if (Shows(value) != (tag.sigil == '#')) return;
  if (tag.sigil == '^' || !value->is_structured()) return Fill(inside, stack, out);
  if (value->is_object()) return FillWith(inside, *value, stack, out);
  for (const Json& item : *value) FillWith(inside, item, stack, out);
}

void Fill(std::string_view text, Stack& stack, std::string& out) {
  std::size_t from = 0;
  for (Tag tag; NextTag(text, from, tag);) {
    out += text.substr(from, tag.begin - from);
    from = tag.end;
    if (tag.sigil == '#' || tag.sigil == '^') {
      const Tag close = ClosingTag(text, tag);
      FillSection(text.substr(tag.end, close.begin - tag.end), tag, stack, out);
      from = close.end;
    } else if (tag.sigil != '/') {
      const std::string value = TextOf(Look(stack, tag.name));
      out += tag.sigil == '{' ? value : Escape(value);
    }
  }
  out += text.substr(from);
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string escaped;
  for (char c : reference::VisibleText(text)) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string FillTemplate(std::string_view text, const Json& values) {
  std::string out;
  Stack stack = {&values};
  Fill(text, stack, out);
  return out;
}

}  // namespace normcheck::reports
