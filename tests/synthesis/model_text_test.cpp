// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "small_job.h"
#include "synthesis/learn.h"
#include "synthesis/trace_model.h"

namespace fredsim {
namespace {

class ModelText : public testing::Test {
 protected:
  ModelText()
      : text_(
            model_text(learn_model({job_sequences(write_small_job(folder_, "job"))}, 1.2).model)) {}

  // Message of reading a model.
  std::string refusal(const std::string& text) const {
    try {
      read_model(folder_.write("model.json", text));
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }
  // Message after a change of the model.
  template <typename Change>
  std::string refusal_of(const Change& change) const {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(text_);
    change(json);
    return refusal(json.dump());
  }

  TraceFolder folder_;
  std::string text_;
};

TEST_F(ModelText, IsReadBack) {
  EXPECT_EQ(model_text(read_model(folder_.write("model.json", text_))), text_);
}

TEST_F(ModelText, OfAnotherVersionIsRefused) {
  EXPECT_NE(refusal_of([](auto& json) {
              json["fredsim_trace_model"] = 1;
            }).find("fredsim_trace_model: found 1; allowed: 2"),
            std::string::npos);
  EXPECT_NE(refusal_of([](auto& json) {
              json.erase("fredsim_trace_model");
            }).find("fredsim_trace_model: found null; allowed: 2"),
            std::string::npos);
}

TEST_F(ModelText, ThatIsDamagedIsRefused) {
  EXPECT_NE(refusal(text_.substr(0, text_.size() / 2)).find("no JSON object"), std::string::npos);
  EXPECT_NE(refusal_of([](auto& json) { json["order"] = 7; }).find("order: found 7"),
            std::string::npos);
  EXPECT_NE(refusal_of([](auto& json) {
              json["scopes"][0][0]["totals"][0] = 999;
            }).find("scopes[0][0].totals[0]: found 999"),
            std::string::npos);
  EXPECT_NE(refusal_of([](auto& json) {
              json["layouts"][0]["families"][0]["groups"] = {0};
            }).find("groups: found [0]"),
            std::string::npos);
  EXPECT_NE(
      refusal_of([](auto& json) { json["layouts"][0]["families"].clear(); }).find("does not have"),
      std::string::npos);
}

}  // namespace
}  // namespace fredsim
