import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { PullEvent } from "../../../src/core/pull-event.js";
import type { FreeBytes } from "../../../src/models/pull/disk-space.js";
import { Puller, type PullOptions } from "../../../src/models/pull/puller.js";
import type { RetryPolicy } from "../../../src/models/pull/retries.js";
import { ModelStore } from "../../../src/models/store/model-store.js";
import { eventually } from "../../support/eventually.js";
import type { Fault } from "../../support/model-sources/file-answers.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { impatient } from "./impatient.js";

export interface Pulling {
  readonly puller: Puller;
  readonly store: ModelStore;
  /** ggufd's folder of models. */
  readonly own: string;
  /** Events of all pulls, in order. */
  readonly events: PullEvent[];
  /** Pulls with the usual options. */
  pull(name: string, options?: Partial<PullOptions>): ReturnType<Puller["pull"]>;
}

/** A machine that has no models, and pulls. */
export async function pulling(
  environment: NodeJS.ProcessEnv,
  {
    policy = impatient,
    freeBytes = async () => 1e12,
    root,
  }: { readonly policy?: RetryPolicy; readonly freeBytes?: FreeBytes; readonly root?: string } = {},
): Promise<Pulling> {
  const machine = root ?? (await temporaryFolder());
  const own = join(machine, "own");
  const store = new ModelStore({
    own,
    huggingFaceCaches: [join(machine, "hub")],
    ollama: [join(machine, "ollama")],
    lmStudio: [],
  });
  const puller = new Puller({ store, environment, policy, freeBytes });
  onTestFinished(() => puller.close());
  const events: PullEvent[] = [];
  return {
    puller,
    store,
    own,
    events,
    pull: (name, options) =>
      puller.pull(name, {
        signal: new AbortController().signal,
        onEvent: (event) => events.push(event),
        network: "allowed",
        ifStored: "keep",
        ...options,
      }),
  };
}

/** Connection that breaks once the earlier data is on the disk; data in transit is lost. */
export function breaksAfter(afterBytes: number, partPath: () => string): Fault {
  const when = (offset: number) =>
    eventually(async () => expect((await stat(partPath())).size).toBe(offset));
  return { kind: "breaks", afterBytes, when };
}

/** All files below a folder, by their paths from there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}
