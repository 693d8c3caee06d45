// Runs gnuplot on a program in a temporary file and rewrites what it prints.
#include "reports/gnuplot.h"

#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "reference/shell_word.h"
#include "reports/report.h"

namespace normcheck::reports {
namespace {

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

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

// gnuplot's own script shows the text of a point from an event; a <title> does it without.
void TitlePoints(std::string& svg) {
  constexpr std::string_view kOpen = "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'";
  constexpr std::string_view kClose = "')\" onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>";
  for (std::size_t at = svg.find(kOpen); at != std::string::npos; at = svg.find(kOpen, at)) {
    const std::size_t close = svg.find(kClose, at);
    if (close == std::string::npos) return;
    const std::string text = svg.substr(at + kOpen.size(), close - at - kOpen.size());
    svg.replace(at, close + kClose.size() - at, "<g><title>" + text + "</title>");
  }
}

// Takes out each line that holds a mark or filter which nothing refers to.
std::string WithoutUnusedMarks(const std::string& svg) {
  const std::size_t begin = svg.find("<defs>"), end = svg.find("</defs>");
  if (begin == std::string::npos || end == std::string::npos) return svg;
  const std::string body = svg.substr(end);
  std::string defs;
  for (std::size_t at = svg.find("id='", begin); at < end; at = svg.find("id='", at + 4)) {
    const std::string name = svg.substr(at + 4, svg.find('\'', at + 4) - at - 4);
    const std::size_t line = svg.rfind('\n', at) + 1;
    const bool used = body.find("#" + name + "'") != std::string::npos || svg.substr(line, end - line).find("#" + name + "'") != std::string::npos;
    if (name.starts_with("gp") && used) defs += svg.substr(line, svg.find('\n', at) + 1 - line);
  }
  return svg.substr(0, begin) + "<defs>\n" + defs + body;
}

void DropEmptyGroups(std::string& svg) {
  for (std::size_t close = svg.find(">\n</g>"); close != std::string::npos; close = svg.find(">\n</g>", close)) {
    const std::size_t open = svg.rfind('<', close);
    if (svg.compare(open, 3, "<g ") == 0 && svg.find(" id=", open) > close) {
      svg.erase(open, close + 6 - open);
      close = open == 0 ? 0 : open - 1;
    } else {
      ++close;
    }
  }
}

}  // namespace

std::string TidySvg(std::string svg, const std::string& id) {
  svg.erase(0, svg.find("<svg"));
  TitlePoints(svg);
  svg = WithoutUnusedMarks(svg);
  DropEmptyGroups(svg);
  ReplaceAll(svg, "gpPt", id + "-mark");
  ReplaceAll(svg, "\"gnuplot_canvas\"", "\"" + id + "-canvas\"");
  return svg;
}

std::optional<std::string> DrawSvg(const std::string& program, const std::string& id) {
  const TemporaryFile script(program);
  if (!script.ok()) return std::nullopt;
  std::FILE* pipe = popen(("gnuplot " + reference::ShellWord(script.path()) + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string svg = ReadAll(pipe);
  if (pclose(pipe) != 0 || svg.find("<svg") == std::string::npos) return std::nullopt;
  return TidySvg(std::move(svg), id);
}

}  // namespace normcheck::reports
