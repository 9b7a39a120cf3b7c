import type {
  GenerationStage,
  RequestBeginning,
  RequestEnd,
  RequestObservation,
  RequestObserver,
} from "../core/request-observer.js";
import {
  type AnswerRecord,
  AnswerRecorder,
  type RequestRecord,
  type WaitingStage,
} from "./request-record.js";
import { parseTraceParent } from "./trace-parent.js";

/** Clocks for the times of records. */
export interface RecordClock {
  /** Milliseconds since the Unix epoch. */
  epochMs(): number;
  /** Milliseconds on a monotonic clock. */
  monotonicMs(): number;
}

export const systemClock: RecordClock = {
  epochMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** One reporter's view of one request. */
export interface RequestReport
  extends Partial<Pick<RequestObservation, "observe" | "receiveBody">> {
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /**
   * Called once for each answer, when it has ended: before its response, or long after the
   * response of a request whose work continues in the background or without its client.
   */
  answered?(answer: AnswerRecord): void;
  /** Called once, when the request and all of its answers have ended. */
  complete(record: RequestRecord): void;
}

/** Receives the requests that have ended. */
export interface RequestReporter {
  begin(request: RequestBeginning, beganAtEpochMs: number): RequestReport;
}

/**
 * Records each request once for all reporters. Background work that continues after the response
 * belongs to the request that started it.
 */
export function recordRequests(
  reporters: readonly RequestReporter[],
  clock: RecordClock = systemClock,
): RequestObserver {
  return { begin: (request) => new RecordedRequest(request, reporters, clock) };
}

class RecordedRequest implements RequestObservation {
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly #beginning: RequestBeginning;
  readonly #beganAtEpochMs: number;
  readonly #beganAtMs: number;
  readonly #clock: RecordClock;
  readonly #reports: readonly RequestReport[];
  readonly #answers = new Map<number, AnswerRecorder>();
  #end: RequestEnd | undefined;
  #isReported = false;

  constructor(
    beginning: RequestBeginning,
    reporters: readonly RequestReporter[],
    clock: RecordClock,
  ) {
    this.#beginning = beginning;
    this.#clock = clock;
    this.#beganAtMs = clock.monotonicMs();
    this.#beganAtEpochMs = clock.epochMs();
    this.#reports = reporters.map((reporter) => reporter.begin(beginning, this.#beganAtEpochMs));
    this.responseHeaders = Object.assign({}, ...this.#reports.map((one) => one.responseHeaders));
  }

  readonly observe = (choice: number, stage: GenerationStage): void => {
    const nowMs = this.#nowMs();
    const answer = this.#answers.get(choice);
    if (stage.type !== "waiting") this.#advance(answer, stage, nowMs);
    else if (answer === undefined) this.#answers.set(choice, new AnswerRecorder(stage, nowMs));
    for (const report of this.#reports) report.observe?.(choice, stage);
    if (this.#end !== undefined && this.#haveAnswersEnded()) this.#report(this.#end);
  };

  receiveBody(body: unknown): void {
    for (const report of this.#reports) report.receiveBody?.(body);
  }

  end(end: RequestEnd): void {
    this.#end = end;
    const isAnswered = end.delivery === "complete" && end.errorCode === undefined;
    if (!isAnswered || this.#haveAnswersEnded()) this.#report(end);
  }

  #advance(
    answer: AnswerRecorder | undefined,
    stage: Exclude<GenerationStage, WaitingStage>,
    nowMs: number,
  ): void {
    if (answer === undefined || answer.hasEnded) return;
    answer.observe(stage, nowMs);
    if (!answer.hasEnded) return;
    for (const report of this.#reports) report.answered?.(answer.recordAt(nowMs));
  }

  #haveAnswersEnded(): boolean {
    return [...this.#answers.values()].every((answer) => answer.hasEnded);
  }

  #report(end: RequestEnd): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const nowMs = this.#nowMs();
    const traceId = this.#findTraceId();
    const record: RequestRecord = {
      beginning: this.#beginning,
      end,
      beganAtEpochMs: this.#beganAtEpochMs,
      ...(traceId !== undefined && { traceId }),
      answers: [...this.#answers.values()].map((answer) => answer.recordAt(nowMs)),
    };
    for (const report of this.#reports) report.complete(record);
  }

  /** Trace id of a reporter's span, else of the client's. */
  #findTraceId(): string | undefined {
    const { traceparent = this.#beginning.traceParent } = this.responseHeaders;
    return parseTraceParent(traceparent)?.traceId;
  }

  #nowMs(): number {
    return this.#clock.monotonicMs() - this.#beganAtMs;
  }
}
