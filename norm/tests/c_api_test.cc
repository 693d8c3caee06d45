// The C interface, called from C.
#include <gtest/gtest.h>

#include "norm/tests/c_api_calls.h"

TEST(CApi, NormalizesARow) { EXPECT_EQ(c_api_normalizes_a_row(), 0); }
TEST(CApi, RunsEveryTarget) { EXPECT_EQ(c_api_runs_every_target(), 0); }
TEST(CApi, NamesFaults) { EXPECT_EQ(c_api_names_faults(), 0); }
TEST(CApi, Converts) { EXPECT_EQ(c_api_converts(), 0); }
