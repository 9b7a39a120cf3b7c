import type { MemoryUse } from "../../../src/core/memory-use.js";
import type {
  LoadableModel,
  LoadListener,
  ModelInstance,
} from "../../../src/models/pool/pooled-model.js";
import { servedModel } from "../../support/served-model.js";

/** A load that a test ends, as it likes. */
export interface PendingLoad {
  readonly alias: string;
  readonly listener: LoadListener;
  readonly signal: AbortSignal;
  finish(): void;
  fail(error: unknown): void;
}

export interface ScriptedLoads {
  /** Loads that have begun and not ended. */
  readonly pending: readonly PendingLoad[];
  /** Events in order: `load a`, `loaded a`, `close a`. */
  readonly log: readonly string[];
  /** The models in memory. */
  readonly held: ReadonlySet<string>;
  /** Last thread limit of each model. */
  readonly limits: ReadonlyMap<string, number | undefined>;
  loadable(alias: string, options?: LoadableOptions): LoadableModel;
}

interface LoadableOptions
  extends Partial<Pick<LoadableModel, "isPinned" | "idleLimitMs" | "kind" | "adapters">> {
  /** @default 1 */
  readonly cpuBytes?: number;
  readonly plan?: () => Promise<MemoryUse>;
  /** @default "cpu" */
  readonly computesOn?: ModelInstance["computesOn"];
  /** Requests that continue in the background. */
  readonly background?: { inFlight: number; idle: Promise<void>; onIdleAwaited?: () => void };
}

/** @param ending `at-once`: each load ends as soon as it has begun */
export function scriptedLoads(ending: "at-once" | "by-test" = "by-test"): ScriptedLoads {
  const pending: PendingLoad[] = [];
  const log: string[] = [];
  const held = new Set<string>();
  const limits = new Map<string, number | undefined>();
  return {
    pending,
    log,
    held,
    limits,
    loadable(alias, options = {}) {
      const {
        cpuBytes = 1,
        background,
        kind = "generation",
        computesOn = "cpu",
        ...given
      } = options;
      const memory = { cpuBytes, gpuBytes: 0 };
      const loaded = (): ModelInstance => {
        held.add(alias);
        log.push(`loaded ${alias}`);
        return {
          served: servedModel(alias),
          memory,
          get inFlight() {
            return background?.inFlight ?? 0;
          },
          computesOn,
          limitThreads: (limit) => limits.set(alias, limit),
          whenIdle() {
            background?.onIdleAwaited?.();
            return background?.idle ?? Promise.resolve();
          },
          endAll: () => log.push(`end ${alias}`),
          async close() {
            log.push(`close ${alias}`);
            held.delete(alias);
          },
        };
      };
      return {
        alias,
        kind,
        isPinned: false,
        idleLimitMs: undefined,
        adapters: [],
        plan: async () => memory,
        load(listener, signal) {
          log.push(`load ${alias}`);
          if (ending === "at-once") return Promise.resolve(loaded());
          return new Promise((resolve, reject) => {
            const end = () => void pending.splice(pending.indexOf(load), 1);
            const load: PendingLoad = {
              alias,
              listener,
              signal,
              finish() {
                end();
                resolve(loaded());
              },
              fail(error) {
                end();
                reject(error);
              },
            };
            pending.push(load);
            signal.addEventListener("abort", () => load.fail(signal.reason));
          });
        },
        ...given,
      };
    },
  };
}
