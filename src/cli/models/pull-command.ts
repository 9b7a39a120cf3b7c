import { formatSiUnits } from "../../core/si-units.js";
import { Puller } from "../../models/pull/puller.js";
import { resolveModelPlaces } from "../../models/store/model-folders.js";
import { ModelStore } from "../../models/store/model-store.js";
import { type StoredModel, sizeOf } from "../../models/store/stored-model.js";
import { type ProgressOutput, PullProgress } from "./pull-progress.js";

export interface PullArguments {
  readonly names: readonly string[];
  /** Model folder; `undefined`: the default. */
  readonly modelsDir: string | undefined;
  readonly network: "allowed" | "never";
  readonly ifStored: "keep" | "check";
  /** `json`: each event as a line on standard output. */
  readonly output: "text" | "json";
}

export interface PullTerminal {
  readonly stdout: Pick<ProgressOutput, "write">;
  readonly stderr: ProgressOutput;
}

/**
 * Pulls models, one after the other.
 * @param signal stops the pull and keeps the partial download
 * @throws {ModelError} for the first model that cannot be pulled
 */
export async function runPull(
  { names, modelsDir, network, ifStored, output }: PullArguments,
  environment: NodeJS.ProcessEnv,
  { stdout, stderr }: PullTerminal,
  signal: AbortSignal,
): Promise<void> {
  const store = new ModelStore(resolveModelPlaces(environment, modelsDir));
  const puller = new Puller({ store, environment });
  try {
    for (const name of names) {
      const progress = new PullProgress(name, stderr);
      const printEvent = (event: object) => stdout.write(`${JSON.stringify({ name, ...event })}\n`);
      const onEvent = output === "json" ? printEvent : progress.onEvent;
      try {
        const { outcome, model } = await puller.pull(name, { signal, onEvent, network, ifStored });
        progress.end();
        if (output === "json") printEvent({ type: outcome, model });
        else stdout.write(`${describePull(outcome, model)}\n`);
      } finally {
        progress.end();
      }
    }
  } finally {
    await puller.close();
  }
}

export const INTERRUPTED_PULL =
  "interrupted: the partial download is kept; run the same command to continue";

function describePull(outcome: "pulled" | "kept", model: StoredModel): string {
  const [{ path }] = model.files;
  const suffix = outcome === "kept" ? ", already present" : "";
  return `${model.name}: ${formatSiUnits(sizeOf(model))}B at ${path}${suffix}`;
}
