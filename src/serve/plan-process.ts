import type { ModelSpec } from "../config/model-spec.js";
import type { MemoryUse } from "../core/memory-use.js";
import type { ModelFileFacts } from "../core/model-library.js";
import { StartupError } from "../core/startup-error.js";
import type { GpuChoice } from "../engine/native/llama-backend.js";
import { forkProcess } from "../process/process-channel.js";
import type { DescribedMachine, PlanReport } from "./plan-specs.js";

/** Request to the planning process, sent once. */
export type ToPlanner =
  | {
      readonly type: "plan";
      readonly models: readonly ModelSpec[];
      readonly machine: DescribedMachine;
    }
  | { readonly type: "inspect"; readonly paths: readonly string[] }
  | { readonly type: "measure"; readonly gpu: GpuChoice };

/** Memory plans of models, and the memory that each will take. */
export interface PlannedSpecs {
  readonly report: PlanReport;
  /** In the order of the report. */
  readonly uses: readonly MemoryUse[];
}

/** Answer of the planning process. */
export type FromPlanner =
  | { readonly type: "planned"; readonly plan: PlannedSpecs }
  | { readonly type: "inspected"; readonly facts: readonly (ModelFileFacts | undefined)[] }
  | { readonly type: "measured"; readonly free: MemoryUse }
  | { readonly type: "refused"; readonly reason: string };

/**
 * Plans models in a separate process, so that a file that crashes it is reported in one line.
 * @throws {StartupError} if a model cannot be read
 */
export function planInProcess(
  models: readonly ModelSpec[],
  machine: DescribedMachine,
): Promise<PlannedSpecs> {
  return new Promise((resolve, reject) => {
    ask(
      { type: "plan", models, machine },
      {
        onAnswer(answer) {
          if (answer.type === "planned") resolve(answer.plan);
          else if (answer.type === "refused") reject(new StartupError(answer.reason));
        },
        onEnd: (reason) =>
          reject(
            new StartupError(
              `${namesOf(models)}: cannot be planned: the process has ended: ${reason}`,
            ),
          ),
      },
    );
  });
}

/**
 * Reads the headers of model files in a separate process, because a file may crash it. Never
 * rejects.
 * @returns facts in the order of the paths; `undefined` for a file that cannot be read
 */
export async function inspectInProcess(
  paths: readonly string[],
): Promise<readonly (ModelFileFacts | undefined)[]> {
  const facts = await new Promise<readonly (ModelFileFacts | undefined)[] | undefined>(
    (resolve) => {
      ask(
        { type: "inspect", paths },
        {
          onAnswer: (answer) => resolve(answer.type === "inspected" ? answer.facts : undefined),
          onEnd: () => resolve(undefined),
        },
      );
    },
  );
  if (facts !== undefined) return facts;
  // One of the files has crashed the process: inspect each in a separate process.
  if (paths.length <= 1) return paths.map(() => undefined);
  const factsOfEach: (ModelFileFacts | undefined)[] = [];
  for (const path of paths) factsOfEach.push(...(await inspectInProcess([path])));
  return factsOfEach;
}

/**
 * Measures the free memory of this machine in a separate process, because a driver may crash it.
 * @param gpu device for models
 * @returns `undefined` if the process has ended before
 */
export function measureInProcess(gpu: GpuChoice): Promise<MemoryUse | undefined> {
  return new Promise((resolve) => {
    ask(
      { type: "measure", gpu },
      {
        onAnswer: (answer) => resolve(answer.type === "measured" ? answer.free : undefined),
        onEnd: () => resolve(undefined),
      },
    );
  });
}

interface Listener {
  readonly onAnswer: (answer: FromPlanner) => void;
  readonly onEnd: (reason: string) => void;
}

/** Sends a request to a new process, and kills the process after its answer. */
function ask(request: ToPlanner, { onAnswer, onEnd }: Listener): void {
  const planner = forkProcess<ToPlanner, FromPlanner>(new URL("./plan-main.js", import.meta.url), {
    onMessage(answer) {
      onAnswer(answer);
      planner.kill();
    },
    onEnd,
  });
  planner.send(request);
}

function namesOf(models: readonly ModelSpec[]): string {
  return models
    .map(({ file }) => `${file.role} ${file.kind === "file" ? file.path : file.name}`)
    .join(" or ");
}
