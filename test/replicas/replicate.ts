import { onTestFinished, vi } from "vitest";
import type { EngineDescription } from "../../src/core/engine.js";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import { addMemory } from "../../src/core/memory-use.js";
import type { ReplicaListener, ReplicaSetOptions } from "../../src/replicas/replica-set.js";
import { ReplicatedEngine } from "../../src/replicas/replicated-engine.js";
import { microtasksDone } from "../support/generation-events.js";
import { ManualEngine, request, type Script } from "../support/manual-engine.js";

export interface Replicated extends Script {
  readonly count?: number;
  /** Runs before the engine of a replica starts; may wait or throw. */
  readonly onOpen?: (index: number, signal: AbortSignal) => Promise<void> | void;
}

/** Memory of one replica. */
const memory = { cpuBytes: 1000, gpuBytes: 10 };

/** A replicated engine over manual engines, all of which are running. */
export async function replicate({ count = 2, onOpen, ...script }: Replicated = {}) {
  const engines: ManualEngine[] = [];
  const listeners: ReplicaListener[] = [];
  const calls: (string | number)[] = [];
  const log = vi.fn();
  const options: ReplicaSetOptions<EngineDescription> = {
    placements: Array.from({ length: count }, (_, core) => ({ cores: [core] })),
    savedBytes: 0,
    sumMemory: (description) => addMemory([description.memory, memory]),
    computeRetryDelayMs: (failures) => 1000 * failures,
    log,
    open: async ({ index, signal }, listener) => {
      await onOpen?.(index, signal);
      listeners[index] = listener;
      const engine = new ManualEngine(script);
      engine.allowExcess();
      engines[index] = engine;
      return engine;
    },
  };
  const engine = await ReplicatedEngine.start({
    ...options,
    onCrash: () => calls.push("crash of the last"),
    onReplicaCrash: () => calls.push("crash of another"),
    onRestored: () => calls.push("restored"),
    onRestartFailed: () => calls.push("no restart"),
  });
  onTestFinished(() => engine.close());
  engine.follow({
    noteCrash: () => calls.push("crash"),
    resize: (generations) => calls.push(generations),
  });
  await microtasksDone();

  const engineOf = (index: number): ManualEngine => {
    const found = engines[index];
    if (found === undefined) throw new Error(`replica ${index} has not been started`);
    return found;
  };
  const events = new Map<string, GenerationEvent[]>();

  const begin = (id: string, requestId = id): void => {
    events.set(id, []);
    engine.start({ id, requestId, seed: 1 }, (event) => events.get(id)?.push(event));
  };
  /** Index of the replica in which a generation runs. */
  const placeOf = (id: string) => engines.findIndex(({ running }) => running.includes(id));

  return {
    engine,
    engines,
    engineOf,
    /** Notifications of the owner and of the queue, in order. */
    calls,
    log,
    eventsOf: (id: string) => events.get(id) ?? [],
    typesOf: (id: string) => (events.get(id) ?? []).map(({ type }) => type),
    placeOf,
    /** Starts a generation of a prepared request. */
    begin,
    /** Prepares and starts a request. */
    async run(given: GenerationRequest): Promise<void> {
      await engine.prepare(given);
      begin(given.id);
      await microtasksDone();
    },
    /** Emits an event of a generation, by default its last one. */
    emit(id: string, event?: GenerationEvent): void {
      engineOf(placeOf(id)).emit(id, event);
    },
    async crash(index: number): Promise<void> {
      engineOf(index).lose();
      listeners[index]?.onCrash();
      await microtasksDone();
    },
    failToRestart(index: number): void {
      listeners[index]?.onRestartFailed(new Error("no memory"));
    },
    async restore(index: number, limits?: Pick<Script, "slots" | "contextSize">): Promise<void> {
      engineOf(index).restore(limits);
      listeners[index]?.onRestored();
      await microtasksDone();
    },
  };
}

/** A request with a text as its only message. */
export function ask(id: string, text: string): GenerationRequest {
  const given = request(id);
  const prompt = { ...given.prompt, messages: [{ role: "user", content: text }] };
  return { ...given, prompt } as GenerationRequest;
}
