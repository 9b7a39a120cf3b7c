import type { ModelSpec } from "../config/model-spec.js";
import type { MemoryUse } from "../core/memory-use.js";
import { StartupError } from "../core/startup-error.js";
import { forkProcess } from "../process/process-channel.js";
import type { DescribedMachine, PlanReport } from "./plan-specs.js";

/** The request to the process, sent once. */
export interface ToPlanner {
  readonly models: readonly ModelSpec[];
  readonly machine: DescribedMachine;
}

/** The plans of models, and what each is going to take. */
export interface PlannedSpecs {
  readonly report: PlanReport;
  /** In the order of the report. */
  readonly uses: readonly MemoryUse[];
}

/** What it answers. */
export type FromPlanner =
  | { readonly type: "planned"; readonly plan: PlannedSpecs }
  | { readonly type: "refused"; readonly reason: string };

/**
 * Plans in a process of its own, as models are loaded in processes of their own: a file that crashes it is reported on one line.
 * @throws {StartupError} when a model cannot be read
 */
export function planInProcess(
  models: readonly ModelSpec[],
  machine: DescribedMachine,
): Promise<PlannedSpecs> {
  return new Promise((resolve, reject) => {
    const planner = forkProcess<ToPlanner, FromPlanner>(
      new URL("./plan-main.js", import.meta.url),
      {
        onMessage(answer) {
          if (answer.type === "planned") resolve(answer.plan);
          else reject(new StartupError(answer.reason));
          planner.kill();
        },
        onEnd: (reason) =>
          reject(
            new StartupError(
              `${namesOf(models)}: cannot be planned: the process has ended: ${reason}`,
            ),
          ),
      },
    );
    planner.send({ models, machine });
  });
}

function namesOf(models: readonly ModelSpec[]): string {
  return models
    .map(({ file }) => `${file.role} ${file.kind === "file" ? file.path : file.name}`)
    .join(" or ");
}
