// Writes the committed seed corpus in byte form: make_seeds CORPUS_DIR (families, regressions, edge cases, case texts).
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "norm/kernel.h"
#include "properties/families.h"
#include "properties/regressions.h"
#include "reference/case_bytes.h"
#include "reference/case_json.h"

namespace {

namespace fs = std::filesystem;
using normcheck::norm::Formats;
using normcheck::norm::Op;
using normcheck::properties::Random;
using normcheck::reference::Case;

constexpr std::size_t kLargestRegression = 2048;  // bytes; longer rows are judged in properties/ anyway
constexpr std::size_t kSeedWidths[] = {5, 13, 33};

struct Seeds {
  fs::path dir;
  std::size_t written = 0;

  void Write(const fs::path& name, std::string_view bytes) {
    fs::create_directories((dir / name).parent_path());
    std::ofstream file(dir / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (file.flush().good()) ++written;
  }

  void WriteCase(const Case& c, const std::string& name) {
    const auto bytes = normcheck::reference::EncodeCase(c);
    Write(fs::path(NameOf(c.op)) / name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
};

std::string NameOf(const Formats& formats) {
  std::string name;
  for (const auto format : {formats.x, formats.params, formats.y}) name.append("-").append(TraitsOf(format).name);
  return name;
}

// Formats, widths and epsilons go round so that each family meets several of them.
void WriteFamilies(Seeds& seeds, Op op) {
  const auto formats = normcheck::norm::ProductionFormats();
  Random random({1});
  std::size_t turn = 0;
  for (const auto& family : normcheck::properties::Families())
    for (const std::size_t width : kSeedWidths) {
      const Formats& chosen = formats[turn % formats.size()];
      const double epsilon = normcheck::properties::Epsilons()[turn % normcheck::properties::Epsilons().size()];
      const Case c = MakeFamilyCase(family, {op, chosen, 1 + turn % 2, width, epsilon}, random);
      seeds.WriteCase(c, std::string(family.id) + NameOf(chosen) + "-" + std::to_string(width));
      ++turn;
    }
}

void WriteEdges(Seeds& seeds, Op op) {
  for (const auto& [rows, width] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 4}, {3, 0}, {1, 1}, {2, 1}, {5, 3}}) {
    Case c = normcheck::reference::MakeCase(op, {}, rows, width, 1e-5);
    const std::string shape = std::to_string(rows) + "x" + std::to_string(width);
    seeds.WriteCase(c, "zeros-" + shape);
    c.x_pitch = width + 3;
    c.y_pitch = width + 1;
    c.epsilon = 0;
    seeds.WriteCase(c, "zeros-pitched-eps-0-" + shape);
  }
}

void WriteTexts(Seeds& seeds) {
  Random random({2});
  for (const Op op : normcheck::norm::kOps)
    for (const Formats& formats : normcheck::norm::ProductionFormats()) {
      const Case c = MakeAnyCase(random, std::span(&op, 1), std::span(&formats, 1), 6);
      seeds.Write(fs::path("case_parser") / (std::string(NameOf(op)) + NameOf(formats)), normcheck::reference::CaseText(c));
    }
  seeds.Write("case_parser/written-by-hand",
              R"({"schema":"normcheck/case/1","op":"layer_norm","variant":"standard","x_format":"f32","param_format":"f32",)"
              R"("y_format":"f16","rows":1,"width":4,"epsilon":"1e-5","x":["-0","nan:0x7f800001","inf","1.5e-45"],)"
              R"("gamma":["1","2","-inf","0x1.8p+3"],"pitch":7,"expected":[null,"nan","0","-1.34"],"source":"by hand"})");
  seeds.Write("case_parser/empty", "");
  seeds.Write("case_parser/deep", std::string(2000, '['));
  seeds.Write("case_parser/huge-sizes", R"({"schema":"normcheck/case/1","rows":4294967296,"width":4294967296})");
}

bool WriteRegressions(Seeds& seeds) {
  const auto regressions = normcheck::properties::ReadRegressions(normcheck::properties::RegressionsDir());
  if (!regressions.ok()) return std::fprintf(stderr, "%s\n", regressions.error().c_str()), false;
  for (const auto& regression : regressions.value())
    if (normcheck::reference::EncodeCase(regression.c).size() <= kLargestRegression)
      seeds.WriteCase(regression.c, fs::path(regression.file).stem().stem().string());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: make_seeds CORPUS_DIR\n"), 2;
  Seeds seeds{argv[1]};
  for (const Op op : normcheck::norm::kOps) {
    WriteFamilies(seeds, op);
    WriteEdges(seeds, op);
  }
  WriteTexts(seeds);
  const bool complete = WriteRegressions(seeds);
  std::printf("%zu seeds\n", seeds.written);
  return complete ? 0 : 1;
}
