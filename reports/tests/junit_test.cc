// JUnit XML of property runs.
#include "reports/junit.h"

#include <gtest/gtest.h>

namespace normcheck::reports {
namespace {

using properties::LawRun;

TEST(JUnitXml, CountsAndEscapes) {
  LawRun kept{.law = "judged", .state = LawRun::State::kKept, .cases = 3, .seconds = 0.5, .shrunk = {}, .seen = ""};
  LawRun broken = kept;
  broken.law = "batch-independence";
  broken.state = LawRun::State::kBroken;
  broken.seen = "got < want & \x01";
  const KernelLaws kernel = {"mutant:x", {kept, broken}};
  EXPECT_EQ(JUnitXml({&kernel, 1}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"normcheck properties\">\n"
            "  <testsuite name=\"mutant:x\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"1.000\">\n"
            "    <testcase classname=\"mutant:x\" name=\"judged\" time=\"0.500\"></testcase>\n"
            "    <testcase classname=\"mutant:x\" name=\"batch-independence\" time=\"0.500\">"
            "<failure message=\"law broken\">got &lt; want &amp; \\x01</failure></testcase>\n"
            "  </testsuite>\n"
            "</testsuites>\n");
}

}  // namespace
}  // namespace normcheck::reports
