// SPDX-License-Identifier: Apache-2.0
#include "report/report_page.h"

#include <gtest/gtest.h>

#include <regex>

namespace fredsim {
namespace {

using Json = nlohmann::ordered_json;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Data that the script in the page gets.
std::string data_in(const std::string& page) {
  const std::string opens = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(opens) + opens.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(ReportPage, HoldsTheDataWhateverIsInIt) {
  const Json data = {
      {"name", "</script><script>alert(1)</script><!--<script> & @SCRIPT@ \u2028 \"\\"},
      {"@DATA@", {1, 0.25, nullptr, true}}};
  const std::string page = report_page("1.2.3", data);
  EXPECT_EQ(Json::parse(data_in(page)), data);
  EXPECT_EQ(data_in(page).find('<'), std::string::npos);
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_EQ(count_of(page, "</script"), 3U);
  EXPECT_EQ(count_of(page, "alert(1)"), 1U);
}

TEST(ReportPage, TextThatIsNotUtf8IsReplaced) {
  EXPECT_EQ(Json::parse(data_in(report_page("1", {{"name", "caf\xE9"}})))["name"], "caf\uFFFD");
}

TEST(ReportPage, IsWholeAndNeedsNoOtherFile) {
  const std::string page = report_page("1.2.3", Json::object());
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_NE(page.find("Written by fredsim 1.2.3."), std::string::npos);
  EXPECT_NE(page.find("Copyright 2022 Mike Bostock"), std::string::npos) << "D3's notice";
  EXPECT_NE(page.find("THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS"), std::string::npos);
  for (const char* mark : {"@STYLE@", "@VERSION@", "@LICENCES@", "@D3@", "@DATA@", "@SCRIPT@"}) {
    EXPECT_EQ(page.find(mark), std::string::npos) << mark;
  }
  EXPECT_FALSE(std::regex_search(page.substr(0, 20'000), std::regex("(src|href)=\"[^d]")));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos) << "a browser would load nothing";
}

TEST(ReportPage, SameDataSameText) {
  const Json data = {{"runs", {1, 2}}};
  EXPECT_EQ(report_page("1", data), report_page("1", data));
  EXPECT_NE(report_page("1", data), report_page("1", Json::object()));
}

}  // namespace
}  // namespace fredsim
