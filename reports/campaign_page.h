// A campaign's summary as an HTML page with a chart of the worst error over time.
#pragma once

#include <optional>
#include <string>

#include "reference/result.h"
#include "reports/report.h"

namespace normcheck::reports {

// Embedded by CMake from page/campaign.html.
extern const char* const kCampaignTemplate;

// The gnuplot program: worst row ulps over seconds, both logarithmic, a step line for each op and format of x.
std::string CampaignPlotScript(const Json& campaign);

// `plot`: an SVG, or nothing: the page then says that gnuplot was missing.
std::string CampaignPage(const Json& campaign, const std::optional<std::string>& plot);

struct CampaignPages {
  std::string page;          // DIR/index.html
  bool has_plot = false;
};

// Makes DIR/summary.md and DIR/index.html from DIR/summary.json, each whole or as it was before.
// Errors: no summary there, files that cannot be written.
reference::Result<CampaignPages> WriteCampaignPages(const std::string& dir);

}  // namespace normcheck::reports
