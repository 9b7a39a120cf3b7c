import { availableParallelism } from "node:os";
import { describePlan, describePoolingPlan } from "../engine/memory/describe-plan.js";
import type { DescribedMachine, ModelReport, PlanReport } from "../serve/plan-specs.js";

/** Options of `ggufd plan`, in addition to the settings. */
export interface PlanOptions extends DescribedMachine {
  readonly output: "text" | "json";
}

/** Formats a plan for printing. */
export function printPlan(report: PlanReport, output: PlanOptions["output"]): string {
  return output === "json" ? `${JSON.stringify(report, null, 2)}\n` : asText(report);
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
    ? describePlan(report.plan)
    : describePoolingPlan(report.plan);
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
