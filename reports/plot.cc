// Writes a gnuplot program for the errors of a report and runs it.
#include "reports/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "reports/summary.h"

namespace normcheck::reports {
namespace {

// Colours of the kernels in turn (Okabe and Ito's set for colour-blind readers).
constexpr std::array<const char*, 6> kColours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"};

// Class faults have no figure: they are drawn at the top edge.
constexpr double kTop = 1e9;
constexpr double kBottom = 0.1;

std::string PlotName(std::string name) {
  std::ranges::replace_if(name, [](char c) { return c == '"' || c == '\\' || c == '\n'; }, '_');
  return name;
}

std::string Ticks(const std::vector<std::string>& families) {
  std::string ticks;
  for (std::size_t i = 0; i < families.size(); ++i)
    ticks += fmt::format("{}\"{}\" {}", i == 0 ? "" : ", ", PlotName(families[i]), i);
  return ticks;
}

std::string DataBlock(const KernelSummary& kernel, const std::vector<std::string>& families, std::size_t index) {
  std::string block = fmt::format("$k{} << EOD\n", index);
  for (std::size_t i = 0; i < families.size(); ++i) {
    const Totals* t = Find(kernel.families, families[i]);
    if (t == nullptr || !t->max_row_ulp) continue;
    const double ulp = t->class_faults > 0 ? kTop : *t->max_row_ulp;
    block += fmt::format("{} {}\n", i, std::clamp(ulp, kBottom, kTop));
  }
  return block + "EOD\n";
}

std::string Series(const KernelSummary& kernel, std::size_t index, std::size_t count) {
  const double shift = 0.5 * ((static_cast<double>(index) + 0.5) / static_cast<double>(count) - 0.5);
  return fmt::format("$k{} using ($1+{:.3f}):2 with points pt 7 ps 0.8 lc rgb \"{}\" title \"{}\"", index, shift,
                     kColours[index % kColours.size()], PlotName(kernel.name));
}

constexpr const char* kSettings = R"(set terminal svg size 860,400 dynamic name "errors" font "sans-serif,12"
set encoding utf8
set border 3 lw 0.6
set bmargin 7
set grid ytics lw 0.4 lc rgb "#9aa4b0"
set logscale y
set format y "10^{%L}"
set ytics nomirror
set ylabel "worst row ulps"
set key outside top horizontal left noenhanced
set xtics nomirror rotate by 45 right noenhanced font ",11"
set arrow 1 from graph 0, first 0.5 to graph 1, first 0.5 nohead dt 2 lw 1 lc rgb "#7a8594"
)";

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string ReadAll(std::FILE* file) {
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file)) text.append(buffer.data(), n);
  return text;
}

// A file of our own for the length of a scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) : path_(std::filesystem::temp_directory_path() / "normcheck-plot-XXXXXX") {
    const int fd = mkstemp(path_.data());
    if (fd < 0) return;
    File file(fdopen(fd, "w"));
    ok_ = file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  bool ok() const { return ok_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool ok_ = false;
};

}  // namespace

std::string PlotScript(const Json& report) {
  const std::vector<KernelSummary> kernels = Summarize(report);
  const std::vector<std::string> families = FamilyNames(kernels);
  std::string script = kSettings;
  script += fmt::format("set xtics ({})\nset xrange [-0.7:{}]\n", Ticks(families), static_cast<double>(families.size()) - 0.3);
  double top = 10;
  for (const KernelSummary& kernel : kernels)
    top = std::max(top, kernel.all.class_faults > 0 ? kTop : 3 * kernel.all.max_row_ulp.value_or(0));
  script += fmt::format("set yrange [{}:{}]\n", kBottom, std::min(top, 2 * kTop));
  std::string series;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    script += DataBlock(kernels[k], families, k);
    series += (k == 0 ? "plot " : ", ") + Series(kernels[k], k, kernels.size());
  }
  return script + series + "\n";
}

std::optional<std::string> PlotErrors(const Json& report) { return DrawSvg(PlotScript(report)); }

std::optional<std::string> DrawSvg(const std::string& program) {
  const TemporaryFile script(program);
  if (!script.ok()) return std::nullopt;
  std::FILE* pipe = popen(("gnuplot " + ShellWord(script.path()) + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  const std::string svg = ReadAll(pipe);
  if (pclose(pipe) != 0) return std::nullopt;
  const std::size_t start = svg.find("<svg");
  return start == std::string::npos ? std::nullopt : std::optional(svg.substr(start));
}

}  // namespace normcheck::reports
