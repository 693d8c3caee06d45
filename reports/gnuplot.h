// Runs gnuplot and makes its SVG fit to stand in a page beside others.
#pragma once

#include <optional>
#include <string>

namespace normcheck::reports {

// The SVG element that the program draws, its ids prefixed with `id`, points of `with labels hypertext` as groups with a
// <title>, unused marks and empty groups left out. Nothing where gnuplot is missing or failed.
std::optional<std::string> DrawSvg(const std::string& program, const std::string& id);

// The same for the text that gnuplot wrote.
std::string TidySvg(std::string svg, const std::string& id);

}  // namespace normcheck::reports
