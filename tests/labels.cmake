# SPDX-License-Identifier: Apache-2.0
# Label of every test, one each, by its suite, the part of its name before the first dot. ctest -L runs
# the tests of a label:
#   unit     a library alone, at most about a second of processor time each and a minute together
#   system   the program, or whole machines
#   rtl      Verilated classes, Verilator, yosys or iverilog
#   slow     over a second for a library, over 20 s otherwise
# python3 -m fredsim_tools.test_times, in scripts/, prints the times.
set(unit_suites base import collective config energy ethernet experts flow nic npu optimize profile results routing schedule_files study switch_registry synthesis topology twin_parts
    workload workload_files voq_scheduler_twin)
set(system_suites allocations cli engine fabric fuzz labels pages python ranks reference report scripts tb_fabric_speed tb_flow_speed
    tb_mesh_scaling tb_own_npu tb_plan_time tb_rounding testbenches trace traffic)
set(rtl_suites aggregator apb_slave bist cells common_cells cover_points crossing formal fred_modules fred_online mesh_modules mesh_reducing
    mesh_router
    mutate on_demand phased_modules phased_switches reducing_crossbar rr_arbiter rtl switch switch_top synth tb_bus_switch tb_custom_switch tutorial
    voq_buffer
    voq_crossbar voq_modules voq_scheduler waves xcheck)
set(slow_suites package)

# Cases with another label than their suite, as filters of GoogleTest, and other tests by their full
# names.
set(rtl_cases_cli "Models/InterruptModel.*")
set(rtl_cases_trace "*RandomBreakdown.AddsUpInEveryImplementation*:*RandomBreakdown.OfSyntheticTraffic*")
set(rtl_cases_traffic "PartitionedTraffic.WithVerilatedSwitches:*EveryImplementationGivesTheSame*")
set(rtl_cases_workload "*TheSameInEveryImplementation*")

set(slow_cases_base "Formats/FpAdd.*")
set(slow_cases_cli "GradientRuns.GainOfDearAt10GigabitPerSecond")
string(JOIN ":" slow_cases_collective
       "Choice.IsThatOfTheTable" "ChunkSchedule.ServesInTheOrderOf*" "GridPlan.AnyCollectiveOnAnyGroup" "GridPlan.ConcurrentParts*"
       "Hdrm.HasOneFlowPerPair*"
       "Hdrm.WithoutTheMap*" "InSwitchPlan.RandomGroupsOnRandomPortOrders" "Machines/PlanSizeTest.IsThatOfThePlan/mesh_16x16"
       "Machines/StreamPlan.RandomGroups*" "FailedComponentsPlan.EveryCollectiveAndAlgorithmIsRight" "MeshLoad.ShortVectorsSpread"
       "PacketOrder.KeepsItsContractOnRandomWorks" "PacketPace.AsksNoLink*" "PlacementSearch.AnnealingForLong*" "RingBoxTrees.*"
       "UplinkSearch.FindsAWay*"
       "WorkPlan.RandomWorksDeliverWhatTheyMust" "WorkerPlacement.*")
set(slow_cases_config "UsedKeys.ChangeWhatIsBuiltOrAreRefused")
set(slow_cases_energy "EnergyOfEngines.IsThatOfARunInFull")
string(JOIN ":" slow_cases_ethernet
  "EthernetClos.HashesDecide"
  "EthernetClos.RingsAreAlikeUnderAllControls"
  "OneEthernetSwitch.DcqcnSettlesAtKminAndIsFair"
  "OneEthernetSwitch.HpccUsesItsShare"
  "OneEthernetSwitch.TimelySettlesAtItsLowThreshold"
  "PacketNetwork.ConservesBytesOnRandomWorks")
set(slow_cases_experts "ExpertTokens.FollowTheChancesOfTheRouter")
set(slow_cases_fabric "RankCut.KeepsToTheRulesOnEveryKindOfTopology")
string(JOIN ":" slow_cases_flow "Eflops.*" "Machines/FlowOperationsOn.*" "FlowRun.LinksBehindOthers*" "SystemFiles.AllReducesPutTheirShare*"
       "Themis.*")
set(slow_cases_optimize "Artefact/LibraGroup.IsAsGoodAsTheOptimum*")
set(slow_cases_results "All/SampleFiles.WithAValueOfAnotherTypeDoNot*:Timeline.SpansThatTouchDoSoInWholeNanosecondsToo")
string(JOIN ":" slow_cases_routing "FredConflict.ExhaustiveOnSmallSwitches" "FredRouting.RoutesRandomPermutations" "FredRouting.ServesRandomFlowSets*"
       "OnlineRoutes.EveryPairOfRandomTreesIsConnected")
set(slow_cases_study "StudyPoints.AreThoseThatCountingFinds")
string(JOIN ":" slow_cases_topology "FatTree.ThoseThatAreTooLargeAreForFlows" "GraphPaths.EqualPathsOfRandomTreesCarryTheSame"
       "Mesh2d.EveryShapeIsSound")
set(slow_cases_twin_parts "AdderPool.FollowsItsReference")
string(JOIN ":" slow_cases_workload "FailedController.TakesLittleLonger*" "Machines/FailedControllers.MachinesTrainWithoutOne*"
       "Machines/TraceTasksTest.*" "GradientScheduleTest.GraphsOfRandomModels" "GraphSizeTest.OfTraining"
       "MicrobatchOverlap.TakesNoLonger*" "StreamingRun.ToUsersOnFredD*")
set(system_tests profile.torch results.schema_and_repetition results.commit)
set(slow_tests flow.simgrid pages.docs_user_implementations_md pages.site_in_browser python.notebooks python.numbers report.page_in_browser
    scripts.checkout_path scripts.eflops scripts.flow_error scripts.gallery scripts.microarchitectures scripts.plain_build scripts.silicon
    scripts.study
    study.on_a_cluster testbenches.own_npu_outside)

# fredsim_label(RESULT TEST)
function(fredsim_label result test)
  string(REGEX REPLACE "\\..*" "" suite "${test}")
  set(labels "")
  foreach(label unit system rtl slow)
    if(suite IN_LIST ${label}_suites)
      list(APPEND labels ${label})
    endif()
  endforeach()
  foreach(label system rtl slow)
    if(test IN_LIST ${label}_tests)
      set(labels ${label})
    endif()
  endforeach()
  list(LENGTH labels count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "test ${test}: found '${labels}' for its suite ${suite} in tests/labels.cmake; allowed: one label")
  endif()
  set(${result} ${labels} PARENT_SCOPE)
endfunction()

# fredsim_discover(TARGET SUITE …): gtest_discover_tests() with the labels of a suite and of its
# cases.
function(fredsim_discover target suite)
  fredsim_label(label ${suite})
  set(properties ${ARGN})
  set(all "")
  foreach(other rtl slow)
    if(${other}_cases_${suite})
      string(APPEND all ":${${other}_cases_${suite}}")
      gtest_discover_tests(${target} TEST_PREFIX ${suite}. TEST_FILTER "${${other}_cases_${suite}}" DISCOVERY_TIMEOUT 60
                           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES ${properties} LABELS ${other})
    endif()
  endforeach()
  string(REGEX REPLACE "^:" "-" filter "${all}")
  if(NOT filter)
    set(filter "*")
  endif()
  gtest_discover_tests(${target} TEST_PREFIX ${suite}. TEST_FILTER "${filter}" DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES ${properties} LABELS ${label})
endfunction()
