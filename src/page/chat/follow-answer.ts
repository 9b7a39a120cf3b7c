import type { ResponseEvent } from "../../api/responses/event-schema.js";
import type { ResponseObject } from "../../api/responses/response-schema.js";
import { ApiError, messageOf } from "../api/api-error.js";
import type { Client } from "../api/client.js";
import { type LiveAnswer, toEnd, waitingAnswer, withEvent } from "./live-answer.js";

/** Progress of an answer, and the state of its stream. */
export interface FollowedAnswer extends LiveAnswer {
  /** `lost`: the connection is being re-established. */
  readonly connection: "open" | "lost";
}

export interface FollowOptions {
  readonly client: Pick<Client, "json" | "events">;
  /** Resolves when the next attempt may be made. @param attempt number of earlier attempts */
  readonly pause: (attempt: number) => Promise<void>;
}

/** Maximum attempts to reach an unresponsive server: with growing pauses, some ten minutes. */
export const MAX_ATTEMPTS = 40;

/**
 * Follows an answer to its end, reconnecting if necessary: the server continues without a
 * connection and keeps all events.
 * @param begin opens the first stream of the answer
 * @yields the answer after each event
 * @throws {ApiError} if the server has not started an answer
 */
export async function* followAnswer(
  begin: () => AsyncIterable<ResponseEvent>,
  { client, pause }: FollowOptions,
): AsyncGenerator<FollowedAnswer, void, undefined> {
  let answer: LiveAnswer = waitingAnswer;
  let stream = begin;
  let wasLost = false;
  for (let attempt = 0; ; attempt++) {
    const { answer: read, error } = yield* applyEvents(answer, stream());
    if (read.lastEvent > answer.lastEvent) attempt = 0;
    answer = read;
    if (answer.state === "ended") return;
    const { responseId: id, lastEvent } = answer;
    if (id === undefined) throw error ?? createNotStartedError();
    wasLost ||= error !== undefined && isConnectionError(error);
    const state: LiveAnswer | undefined =
      attempt < MAX_ATTEMPTS
        ? await fetchAnswerState(answer, { id, wasLost, client })
        : endAsUnreachable(answer);
    wasLost ||= state === undefined;
    if (state?.state === "ended") {
      yield { ...state, connection: "open" };
      return;
    }
    if (state === undefined || attempt > 0) {
      yield { ...answer, connection: "lost" };
      await pause(attempt);
    }
    stream = () =>
      client.events(`/v1/responses/${id}?stream=true&starting_after=${Math.max(0, lastEvent)}`);
  }
}

/**
 * Applies a stream's events to an answer and yields it after each one.
 * @returns the answer so far, and the error that interrupted the stream, if any
 */
async function* applyEvents(
  before: LiveAnswer,
  stream: AsyncIterable<ResponseEvent>,
): AsyncGenerator<FollowedAnswer, { readonly answer: LiveAnswer; readonly error?: unknown }> {
  let answer = before;
  try {
    for await (const event of stream) {
      answer = withEvent(answer, event);
      yield { ...answer, connection: "open" };
      if (answer.state === "ended") break;
    }
    return { answer };
  } catch (error) {
    return { answer, error };
  }
}

function createNotStartedError(): ApiError {
  return new ApiError(0, "unreachable", "The connection ended before the answer began.");
}

function endAsUnreachable(answer: LiveAnswer): LiveAnswer {
  const error = "The connection was lost, and the server is unreachable.";
  return { ...answer, state: "ended", error };
}

/**
 * Message for an answer that the server no longer has: it keeps responses in memory only, so it has
 * restarted.
 */
const RESTARTED_MESSAGE = "The server restarted before the answer was complete.";

/** Whether the server may still have the answer in spite of the error. */
function isConnectionError(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}

interface AnswerQuery extends Pick<FollowOptions, "client"> {
  readonly id: string;
  /** Whether the server was unreachable in the meantime. */
  readonly wasLost: boolean;
}

/**
 * Queries the state of an answer; `undefined`: the server is unreachable. The stream of a cancelled
 * answer ends silently.
 */
async function fetchAnswerState(
  answer: LiveAnswer,
  { id, wasLost, client }: AnswerQuery,
): Promise<LiveAnswer | undefined> {
  try {
    const response = await client.json<ResponseObject>(`/v1/responses/${id}`);
    const { status, error } = response;
    if (status === "queued" || status === "in_progress") return answer;
    return { ...answer, ...toEnd(response), error: error?.message };
  } catch (error) {
    if (isConnectionError(error)) return undefined;
    const isGone = error instanceof ApiError && error.status === 404;
    const reason = wasLost && isGone ? RESTARTED_MESSAGE : messageOf(error);
    return { ...answer, state: "ended", error: reason };
  }
}
