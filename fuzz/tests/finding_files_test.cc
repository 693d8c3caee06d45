// What a finding leaves on disk: files that agree, a first form before the shrunk one, and a test that can be pasted.
#include "fuzz/finding_files.h"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fuzz/finding.h"
#include "fuzz/sighting.h"
#include "fuzz/tests/faulty_kernel.h"
#include "fuzz/tests/scratch_folder.h"
#include "reference/case_bytes.h"
#include "reference/case_json.h"
#include "reference/judge.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Case;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Case Rows(std::size_t rows, std::size_t width) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, rows, width, 0x1p-17);
  for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = std::bit_cast<reference::Bits>(static_cast<float>(i + 1));
  return c;
}

using FindingFiles = ScratchFolder;

TEST_F(FindingFiles, BrokenPromiseHasCaseBytesVerdictAndNote) {
  const norm::Kernel kernel = TailFault();
  const auto stored = StoreFinding(dir_.string(), "s", kernel, Rows(1, 4));
  ASSERT_TRUE(stored.ok()) << stored.error();
  const auto c = reference::ReadCaseFile(stored.value());
  ASSERT_TRUE(c.ok()) << c.error();
  const std::string bytes = TextOf(dir_ / "s.bytes");
  Case decoded = reference::DecodeCase({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  decoded.source = c.value().source;
  EXPECT_EQ(decoded, c.value());
  const auto verdict = nlohmann::json::parse(TextOf(dir_ / "s.verdict.json"));
  EXPECT_EQ(verdict.at("kept"), false);
  EXPECT_EQ(verdict.at("case"), stored.value());
  const std::string note = TextOf(dir_ / "s.md");
  for (const std::string& part : {ReplayLine(kernel.name, stored.value()), GoogleTestOf(kernel.name, "s", c.value()), std::string("BROKEN")})
    EXPECT_NE(note.find(part), std::string::npos) << part << " in\n" << note;
}

TEST_F(FindingFiles, FirstFormIsOnDiskBeforeShrinkingEnds) {
  bool seen = false;
  const std::string signature = SignatureOf(Rows(3, 40), reference::Judge(TailFault(), Rows(3, 40), {}));
  const norm::Kernel faulty = TailFault();
  norm::Kernel kernel = faulty;
  kernel.run = [&](const norm::KernelCall& call) {
    const fs::path file = FindingPath(dir_.string(), signature, faulty, Rows(3, 40));
    if (call.rows < 3 && !seen) seen = fs::exists(file) && reference::ReadCaseFile(file.string()).value().rows == 3;
    return faulty.run(call);
  };
  ASSERT_TRUE(KeepSighting(dir_.string(), kernel, {.signature = signature, .c = Rows(3, 40)}, Pace::kClock, {}).ok());
  EXPECT_TRUE(seen);
  EXPECT_EQ(reference::ReadCaseFile(FindingPath(dir_.string(), signature, faulty, Rows(3, 40))).value().rows, 1u);
}

TEST_F(FindingFiles, DeathIsToldWithoutRunningTheKernel) {
  norm::Kernel kernel = TailFault();
  kernel.run = [](const norm::KernelCall&) -> norm::CallResult { std::abort(); };
  ASSERT_TRUE(StoreDeath(dir_.string(), "layer_norm-f32-crash", kernel, Rows(1, 4), "ERROR: deadly signal").ok());
  EXPECT_NE(TextOf(dir_ / "layer_norm-f32-crash.md").find("ERROR: deadly signal"), std::string::npos);
  EXPECT_FALSE(fs::exists(dir_ / "layer_norm-f32-crash.verdict.json"));
}

// pasted_finding_test.cc is that text; it is compiled and run beside this file.
TEST(GoogleTestOf, IsTheTextThatIsCompiledHere) {
  Case c = Rows(1, 3);
  c.source = "normcheck fuzz: layer_norm, layer_norm-f32-crash";
  const std::string pasted = TextOf(PASTED_FINDING);
  const std::string first_line = pasted.substr(0, pasted.find('\n') + 1);
  EXPECT_EQ(pasted, first_line + GoogleTestOf("layer_norm", "layer_norm-f32-crash", c));
}

}  // namespace
}  // namespace normcheck::fuzz
