// A campaign's summary as Markdown.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/report.h"

namespace normcheck::reports {

// Made from the JSON of schema normcheck/campaign/1 alone (fuzz/campaign_summary.h). The twenty worst rows.
std::string CampaignMarkdown(const Json& campaign);

// How often each family and way of changing cases met each class of rows.
struct FamilyCounts {
  std::string family;
  std::uint64_t judged = 0;
  double max_row_ulp = 0;
  std::map<std::string, std::uint64_t> by_class;
};
std::vector<FamilyCounts> FamilyCountsOf(const Json& campaign);  // none in summaries of earlier versions
std::uint64_t CountIn(const FamilyCounts& family, const std::string& row_class);
std::vector<std::string> ClassesMet(const std::vector<FamilyCounts>& families);

// "found 3 broken promises in 12.4 M executions (2 min 05 s)", "no broken promise in ...".
std::string CampaignSentence(const Json& campaign);

// "f32", or "f16/f32/f16" for x/parameters/y of an entry.
std::string FormatsText(const Json& entry);

// "41 s", "3 min 20 s", "2 h 05 min".
std::string DurationText(double seconds);

}  // namespace normcheck::reports
