import { availableParallelism } from "node:os";
import { formatBinaryUnits } from "../core/memory-use.js";
import { describePlan, describePoolingPlan } from "../engine/memory/describe-plan.js";
import type { DescribedMachine, ModelReport, PlanReport } from "../serve/plan-specs.js";
import { describePlacement } from "../serve/replica-placements.js";
import { formatJson } from "./json-output.js";

/** Options of `ggufd plan`, in addition to the settings. */
export interface PlanOptions extends DescribedMachine {
  readonly output: "text" | "json";
}

/** Formats a plan for printing. */
export function printPlan(report: PlanReport, output: PlanOptions["output"]): string {
  return output === "json" ? formatJson(report) : asText(report);
}

function asText({ device, passedOver, models }: PlanReport): string {
  const texts = models.map((report) =>
    [
      `${report.model} on ${device}, ${availableParallelism()} cores`,
      "",
      ...describeModelPlan(report).map((line) => `  ${line}`),
      "",
      ...formatFit(report),
    ]
      .join("\n")
      .trimEnd(),
  );
  const remarks = passedOver.map((reason) => `${reason}.`);
  return `${[...remarks, ...texts].join("\n\n")}\n`;
}

function describeModelPlan(report: ModelReport): readonly string[] {
  return report.kind === "generation"
    ? [...describePlan(report.plan), ...describeReplicas(report)]
    : describePoolingPlan(report.plan);
}

/** Formats the replicas of a model that has several, each of which has the plan. */
function describeReplicas({
  replicas,
  memory: { cpuBytes, gpuBytes },
}: Extract<ModelReport, { kind: "generation" }>): readonly string[] {
  if (replicas.length === 1) return [];
  const gpu = gpuBytes === 0 ? "" : ` and ${formatBinaryUnits(gpuBytes)} on GPUs`;
  return [
    `replicas ${replicas.length}: ${replicas.map(describePlacement).join("; ")}`,
    `         together ${formatBinaryUnits(cpuBytes)}${gpu}`,
  ];
}

function formatFit(report: ModelReport): readonly string[] {
  const shortage = report.shortage === null ? [] : [`It does not fit: ${report.shortage}.`];
  if (report.kind !== "generation") return shortage;
  const warnings = report.warnings.flatMap((warning) => [`Warning: ${warning}.`, ""]);
  const sizes = report.fittingSizes.map(
    ({ slots, contextSize }) => `  --parallel ${slots} --context-size ${contextSize}`,
  );
  return [
    ...warnings,
    ...shortage,
    ...report.wouldFit.map((flag) => `  ${flag} would fit`),
    ...(report.shortage === null ? [] : [""]),
    ...(sizes.length === 0 ? [] : ["Sizes that fit with these weights:", ...sizes]),
  ];
}
