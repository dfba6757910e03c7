// Bad command lines: each is refused with exit code 2 and one line that says what was found and
// what is allowed.
#include <gtest/gtest.h>

#include "program.h"

namespace fredsim {
namespace {

struct BadOption {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<std::string> words;  // of the message
};

void PrintTo(const BadOption& bad, std::ostream* out) { *out << bad.name; }

class BadOptionTest : public testing::TestWithParam<BadOption> {};

TEST_P(BadOptionTest, IsRefused) {
  expect_refused(run_fredsim(GetParam().arguments), GetParam().words);
}

// `run` on a good machine with these arguments.
std::vector<std::string> run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "configs/mesh_2x2.yaml"});
  return arguments;
}

// `traffic` on a good machine with these arguments.
std::vector<std::string> traffic(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"traffic", "configs/mesh_2x2.yaml"});
  return arguments;
}

// `route` on Fred_3(8) with these arguments.
std::vector<std::string> route(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"route", "--ports", "8", "--middle", "3"});
  return arguments;
}

// `conflicts` on Fred_3(8) with these arguments.
std::vector<std::string> conflicts(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"conflicts", "--ports", "8", "--middle", "3"});
  return arguments;
}

const std::vector<BadOption>& bad_options() {
  static const std::vector<BadOption> kCases{
      {"NoCommand",
       {},
       {"command", "run, compare, traffic, info, route, conflicts, strategies or report"}},
      {"UnknownCommand", {"comapre", "x"}, {"'comapre'", "did you mean 'compare'?"}},
      {"OptionInPlaceOfCommand", {"--size"}, {"'--size'", "--help", "--version"}},
      {"NoConfig", {"run"}, {"CONFIG"}},
      {"TwoConfigs", run({"configs/mesh_2x2.yaml"}), {"CONFIG"}},
      {"CompareWithNothing", {"compare", "configs/mesh_2x2.yaml"}, {"CONFIGS", "2"}},
      {"MisspeltOption", run({"--lane", "2"}), {"'--lane'", "did you mean '--lanes'?"}},
      {"MisspeltOptionWithValue", run({"--sede=3"}), {"'--sede'", "did you mean '--seed'?"}},
      {"UnknownLetter", run({"-x"}), {"'-x'", "-b, -e, -f"}},
      {"OptionOfAnotherCommand",
       {"info", "a.yaml", "--wave", "x.fst"},
       {"fredsim info", "'--wave'"}},
      {"ValueMissing", run({"--size"}), {"--size", "no value"}},
      {"ValueIsAnOption", run({"--json", "--quiet"}), {"--json", "'--quiet'"}},
      {"ValueEmpty", run({"--json="}), {"--json", "no value"}},
      {"OptionTwice", run({"--size", "1KiB", "--size", "2KiB"}), {"--size"}},
      {"SizeZero", run({"--size", "0"}), {"--size", "'0'", "above zero"}},
      {"SizeNegative", run({"--size", "-4KiB"}), {"--size", "'-4KiB'", "negative"}},
      {"SizeUnitWrong", run({"--size", "4KX"}), {"--size", "'4KX'", "KiB"}},
      {"SizeUnitOfTime", run({"--size", "4ns"}), {"--size", "'4ns'", "KiB"}},
      {"SizeIsNoNumber", run({"--size", "big"}), {"--size", "'big'"}},
      {"SizeIsAbsurd", run({"--size", "2000GiB"}), {"--size", "'2000GiB'", "1024 GiB"}},
      {"SizeOverflows",
       run({"--size", "99999999999999999999"}),
       {"--size", "99999999999999999999"}},
      {"SizeIsHalfAByte", run({"--size", "0.5B"}), {"--size", "'0.5B'"}},
      {"SizeAndSweep", run({"--size", "1KiB", "-b", "1KiB"}), {"--size", "-b"}},
      {"SweepWithoutEnd", run({"-b", "1KiB"}), {"-e"}},
      {"SweepWithoutBegin", run({"-e", "1KiB"}), {"-b"}},
      {"SweepFactorAlone", run({"-f", "2"}), {"-b"}},
      {"SweepBackwards", run({"-b", "8KiB", "-e", "4KiB"}), {"-b", "8 KiB", "-e", "4 KiB"}},
      {"SweepFactorOne", run({"-b", "1KiB", "-e", "4KiB", "-f", "1"}), {"-f", "'1'", "2 to"}},
      {"SweepFactorFraction", run({"-b", "1KiB", "-e", "4KiB", "-f", "1.5"}), {"-f", "'1.5'"}},
      {"SweepBeginZero", run({"-b", "0", "-e", "4KiB"}), {"-b", "zero"}},
      {"CollectiveUnknown",
       run({"--collective", "all_redcue"}),
       {"'all_redcue'", "reduce_scatter", "did you mean 'all_reduce'?"}},
      {"AlgorithmUnknown", run({"--algorithm", "rings"}), {"'rings'", "did you mean 'ring'?"}},
      {"AlgorithmOfAnotherFabric", run({"--algorithm", "in_switch"}), {"in_switch", "mesh_2x2"}},
      {"GroupRankOutOfRange", run({"--group", "0,4"}), {"NPU 4", "0 to 3"}},
      {"GroupRankTwice", run({"--group", "0,1,0"}), {"NPU 0", "twice"}},
      {"GroupRankNegative", run({"--group", "0,-1"}), {"--group", "'-1'"}},
      {"GroupEmptyField", run({"--group", "0,,1"}), {"--group", "''"}},
      {"GroupNoNumber", run({"--group", "al"}), {"--group", "'al'", "'all'"}},
      {"GroupTooLargeNumber", run({"--group", "0,99999999999"}), {"--group", "'99999999999'"}},
      {"RootOutOfGroup",
       run({"--collective", "reduce", "--group", "0,1", "--root", "2"}),
       {"root", "rank 2", "0 to 1"}},
      {"RootNegative", run({"--root", "-1"}), {"--root", "'-1'"}},
      {"PriorityUnknown", run({"--priority", "tp"}), {"priority", "'tp'", "mp, pp or dp"}},
      {"UnicastOfFour", run({"--collective", "unicast"}), {"4 NPUs", "two"}},
      {"AlgorithmOfAnotherCollective",
       run({"--collective", "gather", "--algorithm", "ring"}),
       {"ring", "gather", "auto or direct"}},
      {"OnConflictUnknown",
       run({"--on-conflict", "latter"}),
       {"--on-conflict", "'latter'", "did you mean 'later'?"}},
      {"WorkMissing", run({"--work", "no/such.yaml"}), {"--work", "no/such.yaml"}},
      {"WorkAndCollective",
       run({"--work", "x.yaml", "--collective", "gather"}),
       {"--collective", "--work"}},
      {"MatrixOfAnotherCollective",
       run({"--collective", "all_to_all", "--matrix", "x.csv"}),
       {"--matrix", "all_to_all_v"}},
      {"RtlInstancesUnknown",
       run({"--rtl-instances", "l3_*"}),
       {"--rtl-instances", "'l3_*'", "matches no switch"}},
      {"ModelUnknown", run({"--model", "rlt"}), {"'rlt'", "did you mean 'rtl'?"}},
      {"RtlInstances",
       run({"--model", "rtl", "--rtl-instances", "r*"}),
       {"--rtl-instances", "'r*'"}},
      {"LanesZero", run({"--lanes", "0"}), {"--lanes", "'0'", "1 to 256"}},
      {"LanesTooMany", run({"--lanes", "257"}), {"--lanes", "'257'", "1 to 256"}},
      {"LanesNoNumber", run({"--lanes", "2x"}), {"--lanes", "'2x'"}},
      {"SeedNegative", run({"--seed", "-1"}), {"--seed", "'-1'"}},
      {"TimeoutZero", run({"--timeout-cycles", "0"}), {"--timeout-cycles", "'0'"}},
      {"WaveScopeMatchesNothing",
       run({"--wave", "x.fst", "--wave-scope", "l1_*"}),
       {"--wave-scope", "'l1_*'", "r0_0, r1_0, r0_1 or r1_1"}},
      {"WaveScopeWithoutWave", run({"--wave-scope", "r*"}), {"--wave-scope", "--wave FILE"}},
      {"WaveWindowWithoutWave",
       run({"--wave-window", "1:2"}),
       {"--wave-window", "'1:2'", "--wave FILE"}},
      {"WaveLinksWithoutWave", run({"--wave-links-only"}), {"--wave-links-only", "--wave FILE"}},
      {"WaveWindowNoRange",
       run({"--wave", "x.fst", "--wave-window", "100"}),
       {"--wave-window", "'100'", "FROM:TO"}},
      {"WaveWindowBackwards",
       run({"--wave", "x.fst", "--wave-window", "20:10"}),
       {"--wave-window", "'20:10'", "FROM:TO"}},
      {"WaveWindowMixedUnits",
       run({"--wave", "x.fst", "--wave-window", "20:10ns"}),
       {"--wave-window", "'20:10ns'", "FROM:TO"}},
      {"WaveWindowsOutOfOrder",
       run({"--wave", "x.fst", "--wave-window", "20:30", "--wave-window", "30:40"}),
       {"--wave-window", "'30:40'", "ends with cycle 30", "ascending"}},
      {"WaveWindowBetweenEdges",
       run({"--wave", "x.fst", "--wave-window", "700ps:800ps"}),
       {"--wave-window", "'700ps:800ps'", "no clock edge"}},
      {"WaveTriggerUnknown",
       run({"--wave", "x.fst", "--wave-trigger", "stal:3"}),
       {"--wave-trigger", "'stal:3'", "stall:CYCLES"}},
      {"WaveTriggerWithoutArgument",
       run({"--wave", "x.fst", "--wave-trigger", "stall"}),
       {"--wave-trigger", "'stall'", "stall:CYCLES"}},
      {"WaveTriggerBadTag",
       run({"--wave", "x.fst", "--wave-trigger", "packet:0x1zz"}),
       {"--wave-trigger", "'0x1zz'", "0xffffffff"}},
      {"WaveTriggerAndWindow",
       run({"--wave", "x.fst", "--wave-trigger", "failure", "--wave-window", "1:2"}),
       {"--wave-trigger", "'failure'", "--wave-window"}},
      {"WaveTriggerLockstepOfTwins",
       run({"--wave", "x.fst", "--wave-trigger", "lockstep"}),
       {"--wave-trigger", "'lockstep'", "--model lockstep"}},
      {"WaveTriggerWithoutWave",
       run({"--wave-trigger", "failure"}),
       {"--wave-trigger", "'failure'", "--wave FILE"}},
      {"WaveBeforeWithoutTrigger",
       run({"--wave", "x.fst", "--wave-before", "3"}),
       {"--wave-before", "'3'", "--wave-trigger"}},
      {"WaveInMissingFolder", run({"--wave", "no/such/x.fst"}), {"no/such/x.fst"}},
      {"SetUnknownKey",
       run({"--set", "fabric.widht=2"}),
       {"fabric.widht", "did you mean 'width'?"}},
      {"SetWithoutValue", run({"--set", "fabric.width"}), {"fabric.width"}},
      {"TrafficWithoutRate", traffic({}), {"--rate", "no such option", "--saturation"}},
      {"TrafficRateAndSaturation",
       traffic({"--rate", "0.1", "--saturation"}),
       {"--rate", "either"}},
      {"TrafficRateZero", traffic({"--rate", "0"}), {"--rate", "'0'", "or more"}},
      {"TrafficRateNegative", traffic({"--rate", "-0.1"}), {"--rate", "'-0.1'"}},
      {"TrafficRateTiny", traffic({"--rate", "1e-9"}), {"--rate", "'1e-9'", "1e-06 or more"}},
      {"TrafficRateNoNumber", traffic({"--rate", "nan"}), {"--rate", "'nan'", "FROM:TO:STEP"}},
      {"TrafficRateInList", traffic({"--rate", "0.1,x,0.3"}), {"--rate", "'x'"}},
      {"TrafficRateAbovePorts",
       traffic({"--rate", "0.1,4.5"}),
       {"--rate", "'4.5'", "3.90625 at most", "4 ports"}},
      {"TrafficSweepWithoutStep", traffic({"--rate", "0.1:0.3"}), {"--rate", "'0.1:0.3'"}},
      {"TrafficSweepBackwards", traffic({"--rate", "0.3:0.1:0.1"}), {"--rate", "FROM at most TO"}},
      {"TrafficSweepTooLong", traffic({"--rate", "0.1:3:0.00001"}), {"--rate", "1000 rates"}},
      {"TrafficPatternUnknown",
       traffic({"--rate", "0.1", "--pattern", "neighbour"}),
       {"--pattern", "'neighbour'", "hotspot", "did you mean 'neighbor'?"}},
      {"TrafficPatternOfNoUse",
       traffic({"--rate", "0.1", "--pattern", "neighbor", "--set", "fabric.width=1", "--set",
                "npu.count=2", "--set", "io.count=0"}),
       {"--pattern", "'neighbor'", "its own partner"}},
      {"TrafficPacketFlitsZero",
       traffic({"--rate", "1", "--packet-flits", "0"}),
       {"'0'", "1 to 8"}},
      {"TrafficPacketFlitsNine",
       traffic({"--rate", "1", "--packet-flits", "9"}),
       {"'9'", "1 to 8"}},
      {"TrafficCyclesZero", traffic({"--rate", "1", "--cycles", "0"}), {"--cycles", "'0'"}},
      {"TrafficWarmupNegative", traffic({"--rate", "1", "--warmup", "-1"}), {"--warmup", "'-1'"}},
      {"TrafficHotspotOfAnotherPattern",
       traffic({"--rate", "1", "--hotspot-node", "1"}),
       {"--hotspot-node", "'1'", "--pattern hotspot"}},
      {"TrafficHotspotNodeNotThere",
       traffic({"--rate", "1", "--pattern", "hotspot", "--hotspot-node", "4"}),
       {"--hotspot-node", "'4'", "0 to 3"}},
      {"TrafficHotspotFraction",
       traffic({"--rate", "1", "--pattern", "hotspot", "--hotspot-fraction", "1.5"}),
       {"--hotspot-fraction", "'1.5'", "1 at most"}},
      {"TrafficOptionMisspelt", traffic({"--rats", "1"}), {"'--rats'", "did you mean '--rate'?"}},
      {"TrafficOptionOfRun", traffic({"--size", "4KiB"}), {"fredsim traffic", "'--size'"}},
      {"TrafficRtlInstancesUnknown",
       traffic({"--rate", "1", "--rtl-instances", "l1_*"}),
       {"--rtl-instances", "'l1_*'", "r0_0"}},
      {"RouteWithoutFlows", route({}), {"FLOW"}},
      {"RouteWithoutPorts", {"route", "--middle", "3", "0:1"}, {"--ports"}},
      {"RouteWithoutMiddle", {"route", "--ports", "8", "0:1"}, {"--middle"}},
      {"RoutePortsTooMany",
       {"route", "--ports", "33", "--middle", "3", "0:1"},
       {"'33'", "2 to 32"}},
      {"RoutePortsTooFew", {"route", "--ports", "1", "--middle", "3", "0:0"}, {"'1'", "2 to 32"}},
      {"RouteMiddleTooLarge", {"route", "--ports", "8", "--middle", "5", "0:1"}, {"'5'", "2 to 4"}},
      {"RouteMiddleTooSmall", {"route", "--ports", "8", "--middle", "1", "0:1"}, {"'1'", "2 to 4"}},
      {"RoutePortOutOfRange", route({"0,8:1"}), {"'0,8:1'", "input port 8", "0 to 7"}},
      {"RouteOutputOutOfRange", route({"0:1-9"}), {"'0:1-9'", "output port 9", "0 to 7"}},
      {"RoutePortOverflows", route({"0:99999999999"}), {"'99999999999'", "output ports"}},
      {"RoutePortTwiceInAFlow", route({"0,0-2:1"}), {"'0,0-2:1'", "input port 0 twice"}},
      {"RouteInputInTwoFlows",
       route({"0-2:1", "2:3"}),
       {"'2:3'", "input port 2", "'0-2:1' has too"}},
      {"RouteOutputInTwoFlows", route({"0:1", "2:1"}), {"'2:1'", "output port 1", "'0:1' has too"}},
      {"RouteColonMissing", route({"0,1"}), {"'0,1'", "0 colons", "0,1,2:4,5"}},
      {"RouteColonsTwo", route({"0:1:2"}), {"'0:1:2'", "2 colons"}},
      {"RouteInputsEmpty", route({":1"}), {"':1'", "no input port"}},
      {"RouteOutputsEmpty", route({"1:"}), {"'1:'", "no output port"}},
      {"RouteFieldEmpty", route({"1,,2:3"}), {"'1,,2:3'", "''"}},
      {"RouteNoNumber", route({"a:3"}), {"'a:3'", "'a'"}},
      {"RouteRangeBackwards", route({"3-1:3"}), {"'3-1'", "0-3:4-7"}},
      {"RouteRangeOpen", route({"1-:3"}), {"'1-'"}},
      {"RouteNegativePort", route({"-1:3"}), {"-1:3"}},
      {"RouteVcUnknown", route({"0:1", "--vc", "control"}), {"--vc", "'control'", "mp, pp or dp"}},
      {"RouteOptionMisspelt", route({"--midle", "3"}), {"'--midle'", "did you mean '--middle'?"}},
      {"ConflictsWithoutFlows", conflicts({}), {"--flows"}},
      {"ConflictsFlowsZero", conflicts({"--flows", "0"}), {"--flows", "'0'", "1 to 8"}},
      {"ConflictsFlowsTooMany",
       conflicts({"--flows", "2:5", "--kind", "all_reduce"}),
       {"--flows", "'5'", "1 to 4"}},
      {"ConflictsFlowsBackwards", conflicts({"--flows", "5:2"}), {"'5:2'", "FROM at most TO"}},
      {"ConflictsFlowsNoNumber", conflicts({"--flows", "2,x"}), {"--flows", "'x'"}},
      {"ConflictsMiddleInList",
       {"conflicts", "--ports", "8", "--middle", "2,5", "--flows", "2"},
       {"--middle", "'5'", "2 to 4"}},
      {"ConflictsKindUnknown",
       conflicts({"--flows", "2", "--kind", "allreduce"}),
       {"'allreduce'", "unicast, multicast", "did you mean 'all_reduce'?"}},
      {"ConflictsTrialsZero",
       conflicts({"--flows", "2", "--trials", "0"}),
       {"--trials", "'0'", "1 to"}},
      {"ConflictsSeed", conflicts({"--flows", "2", "--seed", "x"}), {"--seed", "'x'"}},
      {"MachinesOfDifferentSize",
       {"compare", "configs/mesh.yaml", "configs/mesh_2x2.yaml"},
       {"configs/mesh_2x2.yaml", "4 NPUs", "20"}},
  };
  return kCases;
}

INSTANTIATE_TEST_SUITE_P(CommandLine, BadOptionTest, testing::ValuesIn(bad_options()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace fredsim
