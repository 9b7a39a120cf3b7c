import { chooseLane, computeWaitMs, type LaneState } from "./lane.js";
import type { LineIndex } from "./line-index.js";
import { compareLines } from "./line-order.js";
import { decideRetry, type LineAnswer } from "./retry-policy.js";
import { mergeSorted, sortInSlices } from "./sort-in-slices.js";

/** A line to be answered by its route. */
export interface LineRequest {
  readonly batchId: string;
  readonly owner: string;
  /** JSON text of the line. */
  readonly line: string;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** Answers a line through its route. @returns `undefined` if the signal was aborted */
export type AnswerLine = (request: LineRequest) => Promise<LineAnswer | undefined>;

/** A batch whose lines run. */
export interface LineSource {
  /** Id of the batch. */
  readonly id: string;
  readonly owner: string;
  readonly index: LineIndex;
  /** Aborted when no further line is to run. */
  readonly signal: AbortSignal;
  readLine(line: number): Promise<string>;
  /** Stores the answer durably; resolves without that if the signal is aborted. */
  store(line: number, text: string, answer: LineAnswer): Promise<void>;
  /** Called before a line runs; the returned function is called once it does not run any more. */
  begin(line: number): () => void;
}

interface PendingLine {
  readonly source: LineSource;
  readonly line: number;
  /** Attempts that ended with a server error. */
  readonly attempts: number;
}

export interface BatchRunnerOptions {
  readonly answer: AnswerLine;
  /** Maximum number of running lines per model. */
  readonly linesAtOnce: number;
  /** Fair share of an owner relative to others. */
  readonly weightOf: (owner: string) => number;
  /** Milliseconds on a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

/** Runs the lines of all batches: a fixed number at once per model, fairly between owners. */
export class BatchRunner {
  readonly #options: BatchRunnerOptions;
  readonly #now: () => number;
  readonly #models = new Map<string, ModelLines>();

  constructor(options: BatchRunnerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Adds lines of a batch, which are ordered together with other pending lines of the owner. */
  async add(source: LineSource, lines: Iterable<number>): Promise<void> {
    const linesByModel = new Map<string, number[]>();
    for (const line of lines) {
      const model = source.index.modelOf(line);
      const group = linesByModel.get(model);
      if (group === undefined) linesByModel.set(model, [line]);
      else group.push(line);
    }
    for (const [model, group] of linesByModel) {
      const facts = group.map((line) => ({ line, ...source.index.factsOf(line) }));
      const sorted = await sortInSlices(facts, compareLines);
      if (source.signal.aborted) return;
      const { lanes } = this.#getOrCreateModel(model);
      const lane = lanes.get(source.owner) ?? new Lane();
      lane.insert(sorted.map(({ line }) => ({ source, line, attempts: 0 })));
      lanes.set(source.owner, lane);
      this.#fill(model);
    }
  }

  #getOrCreateModel(model: string): ModelLines {
    const known = this.#models.get(model);
    if (known !== undefined) return known;
    const created: ModelLines = { lanes: new Map(), running: 0, virtualTime: 0, timer: undefined };
    this.#models.set(model, created);
    return created;
  }

  /** Starts lines of a model while it has room. */
  #fill(model: string): void {
    const lines = this.#models.get(model);
    if (lines === undefined) return;
    const { lanes } = lines;
    while (lines.running < this.#options.linesAtOnce) {
      for (const [owner, lane] of lanes) {
        lane.dropAborted();
        if (!lane.hasLines && lane.running === 0) lanes.delete(owner);
      }
      const lane = chooseLane(lanes.values(), this.#now());
      const next = lane?.take();
      if (lane === undefined || next === undefined) break;
      lines.virtualTime = Math.max(lines.virtualTime, lane.due);
      lane.due = lines.virtualTime + 1 / this.#options.weightOf(next.source.owner);
      lines.running++;
      lane.running++;
      void this.#run(lane, next).finally(() => {
        lines.running--;
        lane.running--;
        this.#fill(model);
      });
    }
    this.#continueAfterPause(model, lines);
    if (lanes.size === 0 && lines.running === 0) this.#models.delete(model);
  }

  #continueAfterPause(model: string, lines: ModelLines): void {
    clearTimeout(lines.timer);
    const waitMs = computeWaitMs(lines.lanes.values(), this.#now());
    if (waitMs === undefined) return;
    lines.timer = setTimeout(() => this.#fill(model), Math.ceil(waitMs));
    // Paused batches must not keep the process of a stopped server alive.
    lines.timer.unref();
  }

  /** Runs a line once. Never rejects. */
  async #run(lane: Lane, { source, line, attempts }: PendingLine): Promise<void> {
    const end = source.begin(line);
    try {
      const text = await source.readLine(line);
      const { id: batchId, owner, signal } = source;
      const answer = await this.#options.answer({ batchId, owner, line: text, signal });
      if (answer === undefined || signal.aborted) return;
      // Refusals of lines that ran at once count as one.
      const isPaused = lane.pausedUntilMs > this.#now();
      const refusals = isPaused ? lane.refusals : lane.refusals + 1;
      const decision = decideRetry(answer, { attempts: attempts + 1, refusals });
      if (decision.type === "final") {
        lane.refusals = 0;
        await source.store(line, text, answer);
        return;
      }
      lane.refusals = refusals;
      lane.pausedUntilMs = Math.max(lane.pausedUntilMs, this.#now() + decision.pauseMs);
      const failures = decision.after === "server-error" ? 1 : 0;
      lane.putBack({ source, line, attempts: attempts + failures });
    } catch {
      // The input file cannot be read right now.
      lane.pausedUntilMs = this.#now() + READ_PAUSE_MS;
      lane.putBack({ source, line, attempts });
    } finally {
      end();
    }
  }
}

/** Time until an input that could not be read is read again, in milliseconds. */
const READ_PAUSE_MS = 10_000;

interface ModelLines {
  /** By owner. */
  readonly lanes: Map<string, Lane>;
  running: number;
  virtualTime: number;
  timer: NodeJS.Timeout | undefined;
}

/** Pending lines of an owner for one model. */
class Lane implements LaneState {
  /** The next line is the last one. */
  #lines: PendingLine[] = [];
  running = 0;
  due = 0;
  pausedUntilMs = 0;
  /** Temporary refusals in a row. */
  refusals = 0;

  get hasLines(): boolean {
    return this.#lines.length > 0;
  }

  /** @param sorted lines in their order */
  insert(sorted: readonly PendingLine[]): void {
    const compare = (one: PendingLine, other: PendingLine) =>
      compareLines(other.source.index.factsOf(other.line), one.source.index.factsOf(one.line));
    this.#lines = mergeSorted(this.#lines, sorted.toReversed(), compare);
  }

  take(): PendingLine | undefined {
    return this.#lines.pop();
  }

  /** Makes a line the next one again. */
  putBack(line: PendingLine): void {
    this.#lines.push(line);
  }

  /** Drops lines of batches that have ended from the front; others are dropped when they come up. */
  dropAborted(): void {
    while (this.#lines.at(-1)?.source.signal.aborted) this.#lines.pop();
  }
}
