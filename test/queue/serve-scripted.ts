import type { AdapterChoice } from "../../src/core/adapters.js";
import type { Caller, ExpectedTokens } from "../../src/core/caller.js";
import type { Generation } from "../../src/core/model-directory.js";
import type { GenerationStage } from "../../src/core/request-observer.js";
import { sumBy } from "../../src/core/sum-by.js";
import { GenerationScheduler } from "../../src/queue/generation-scheduler.js";
import { someCaller } from "../support/callers.js";
import { microtasksDone } from "../support/generation-events.js";
import { ManualEngine, request, type Script } from "../support/manual-engine.js";

export interface Served extends Script {
  readonly requests?: number;
  readonly promptTokens?: number;
  readonly queueTimeoutMs?: number;
  readonly now?: () => number;
}

/** Optional properties of a test's request, in addition to its id and the length of its prompt. */
export interface Submission extends Partial<Caller> {
  readonly tokenCount?: number;
  readonly choices?: number;
  readonly seed?: number;
  readonly priority?: number;
  readonly adapters?: readonly AdapterChoice[];
}

/** Scheduler over a scripted engine, with clients that can disconnect. */
export function serve({
  requests = 100,
  promptTokens = 1000,
  queueTimeoutMs = 0,
  now = () => performance.now(),
  ...script
}: Served = {}) {
  const engine = new ManualEngine(script);
  const refused: [request: object, crashes: number][] = [];
  let seeds = 0;
  const scheduler = new GenerationScheduler(engine, {
    model: "scripted",
    limits: { requests, promptTokens },
    queueTimeoutMs,
    drawSeed: () => ++seeds,
    onRefused: (...given) => refused.push(given),
    now,
  });
  const clients = new Map<string, AbortController>();
  const stages = new Map<string, GenerationStage[]>();
  const admitted: (readonly ExpectedTokens[])[] = [];
  const charged: (number | "none")[] = [];

  function submitAs(id: string, submission: Submission = {}): Promise<Generation> {
    const { tokenCount = 1, choices, seed, priority, adapters, ...caller } = submission;
    const client = new AbortController();
    clients.set(id, client);
    const asked = { ...request(id, tokenCount), ...(priority !== undefined && { priority }) };
    return scheduler.submit(
      [{ ...asked, choices, adapters, sampling: seed === undefined ? {} : { seed } }],
      someCaller({
        signal: client.signal,
        tokens: {
          admit(answers) {
            admitted.push(answers);
            charged.push(sumBy(answers, ({ promptTokens }) => promptTokens));
            return answers.map(
              () => (completionTokens) => charged.push(completionTokens ?? "none"),
            );
          },
        },
        observe: (choice, stage) => {
          const name = choice === 0 ? id : `${id}-${choice}`;
          stages.set(name, [...(stages.get(name) ?? []), stage]);
        },
        ...caller,
      }),
    );
  }

  return {
    engine,
    scheduler,
    /** Requests that were refused because they may have crashed the engine. */
    refused,
    /** Tokens that the answers of admitted requests may have. */
    admitted,
    /** Tokens that callers were charged, in order; `none` for answers that never left the queue. */
    charged,
    submitAs,
    submit: (id: string, tokenCount = 1, choices?: number): Promise<Generation> =>
      submitAs(id, { tokenCount, ...(choices !== undefined && { choices }) }),
    /** Types of the stages that an observer has got: of events, the events' types. */
    stagesOf: (id: string): string[] =>
      (stages.get(id) ?? []).map((stage) =>
        stage.type === "event" ? stage.event.type : stage.type,
      ),
    /** Adapters that an observer has got with the first stage. */
    adaptersOf(id: string): readonly string[] | undefined {
      const [first] = stages.get(id) ?? [];
      return first?.type === "waiting" ? first.adapters : undefined;
    },
    async disconnect(id: string): Promise<void> {
      clients.get(id)?.abort();
      await microtasksDone();
    },
    async emit(...args: Parameters<ManualEngine["emit"]>): Promise<void> {
      engine.emit(...args);
      await microtasksDone();
    },
    /** Crashes the engine, with notifications in a supervisor's order. */
    async lose(): Promise<void> {
      engine.lose();
      scheduler.suspend();
      await microtasksDone();
    },
    async restore(limits: Pick<Script, "slots" | "contextSize"> = {}): Promise<void> {
      engine.restore(limits);
      scheduler.resume(engine.description);
      await microtasksDone();
    },
  };
}
