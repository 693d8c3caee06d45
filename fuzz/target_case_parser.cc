// Fuzz target of the case reader: no text crashes it, and what it accepts survives its own JSON and byte forms.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "reference/case_bytes.h"
#include "reference/case_json.h"

namespace {

using normcheck::reference::Case;

void Require(bool holds, const char* law, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "case parser: %s does not hold for:\n%.*s\n", law, static_cast<int>(text.size()), text.data());
  std::abort();
}

bool SurvivesJson(const Case& c) {
  const auto again = normcheck::reference::ParseCase(normcheck::reference::CaseText(c), "again");
  return again.ok() && again.value() == c;
}

bool SurvivesBytes(Case c) {
  c.expected.clear();
  c.source.clear();
  return normcheck::reference::DecodeCase(normcheck::reference::EncodeCase(c)) == c;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = normcheck::reference::ParseCase(text, "input");
  if (!parsed.ok()) {
    Require(parsed.error().find('\n') == std::string::npos, "an error is one line", text);
  } else {
    Require(SurvivesJson(parsed.value()), "ParseCase(CaseText(c)) == c", text);
    Require(SurvivesBytes(parsed.value()), "DecodeCase(EncodeCase(c)) == c", text);
  }
  const Case decoded = normcheck::reference::DecodeCase({data, size});
  Require(SurvivesJson(decoded) && SurvivesBytes(decoded), "a decoded case survives both forms", text);
  return 0;
}
