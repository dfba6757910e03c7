// SPDX-License-Identifier: Apache-2.0
// Results of `fredsim doctor` as tables and JSON: limits of a work on a machine, and remedies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/machine_key.h"
#include "base/setting.h"
#include "report/table_output.h"
#include "results/diagnosis.h"
#include "results/document.h"

namespace fredsim {

struct DoctorSetup {
  std::string config{};
  Settings settings{};
  std::vector<MachineKey> machine{};
  std::string fabric{};
};

inline constexpr const char* kDoctorLegend =
    "Factor: time as given / time with this limit alone lifted. x bound: the latter time over the "
    "bound of the network by its least cuts. Times are those of `run --engine flow`; *: flows "
    "alone, without exact runs.";

TitledTable doctor_table(const DoctorSetup& setup, const Diagnosis& diagnosis);

std::string doctor_json(const Origin& origin, const DoctorSetup& setup,
                        std::span<const Diagnosis> diagnoses);

}  // namespace fredsim
