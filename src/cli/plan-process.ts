import type { Config } from "../config/settings/settings.js";
import { StartupError } from "../core/startup-error.js";
import { forkProcess } from "../process/process-channel.js";
import { modelPathOf, poolingModelsOf } from "../serve/engine-settings-of.js";
import type { PlanOptions } from "./plan-command.js";

/** What the process is told, once. */
export interface ToPlanner {
  readonly config: Config;
  readonly options: PlanOptions;
}

/** What it answers. */
export type FromPlanner =
  | { readonly type: "planned"; readonly text: string }
  | { readonly type: "refused"; readonly reason: string };

/**
 * Plans in a process of its own, as models are loaded in processes of their own: a file that ends it is told on a line.
 * @returns the text to print
 * @throws {StartupError} when a model cannot be read
 */
export function planInProcess(config: Config, options: PlanOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const planner = forkProcess<ToPlanner, FromPlanner>(
      new URL("./plan-main.js", import.meta.url),
      {},
      {
        onMessage(answer) {
          if (answer.type === "planned") resolve(answer.text);
          else reject(new StartupError(answer.reason));
          planner.kill();
        },
        onEnd: (reason) =>
          reject(
            new StartupError(
              `${modelsOf(config)}: cannot be planned: the process has ended: ${reason}`,
            ),
          ),
      },
    );
    planner.send({ config, options });
  });
}

function modelsOf(config: Config): string {
  const main = config.noModel ? [] : [`model ${modelPathOf(config)}`];
  const others = poolingModelsOf(config).map(({ source }) => `${source.role} ${source.path}`);
  return [...main, ...others].join(" or ");
}
