import assert from "node:assert/strict";
import type {
  ChoiceEvent,
  GenerationEvent,
  PromptTokenScore,
  TokenScore,
} from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";

/** Completed answer. */
export interface WholeAnswer {
  readonly answer: CollectedAnswer;
  readonly finished: FinishedEvent;
}

/**
 * Collects the events of all choices of a request.
 * @returns the answers in the order of their choices; `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function collectAnswers(
  events: AsyncIterable<ChoiceEvent>,
): Promise<readonly WholeAnswer[] | undefined> {
  const collected = new Map<number, CollectedAnswer>();
  const wholeAnswers: WholeAnswer[] = [];
  for await (const { choice, event, tokens = [] } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    assert(wholeAnswers[choice] === undefined, "event of a choice that has already finished");
    const answer = collected.get(choice) ?? new CollectedAnswer();
    collected.set(choice, answer);
    answer.addTokens(tokens);
    if (event.type === "finished") wholeAnswers[choice] = { answer, finished: event };
    else answer.add(event);
  }
  assert.equal(Object.keys(wholeAnswers).length, collected.size, "every choice must finish");
  return wholeAnswers;
}

/**
 * Collects the events of a request with one choice.
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function collectAnswer(
  events: AsyncIterable<ChoiceEvent>,
): Promise<WholeAnswer | undefined> {
  const [whole] = (await collectAnswers(events)) ?? [];
  return whole;
}

/** Event that adds to an answer. */
export type AnswerEvent = Exclude<GenerationEvent, { type: "finished" | "cancelled" | "failed" }>;

/** Last event of a generation that was neither cancelled nor failed. */
export type FinishedEvent = Extract<GenerationEvent, { type: "finished" }>;

/** Tool call, with the arguments received so far. */
interface CollectedCall extends Omit<ToolCall, "arguments"> {
  arguments: string;
}

/** Choice of an answer that is not streamed, collected so far. */
export class CollectedAnswer {
  #text = "";
  #reasoning = "";
  readonly #calls: CollectedCall[] = [];
  #scores: TokenScore[] | undefined;
  readonly #promptScores: PromptTokenScore[] = [];
  readonly #tokens: number[] = [];

  get text(): string {
    return this.#text;
  }

  get reasoning(): string {
    return this.#reasoning;
  }

  get calls(): readonly ToolCall[] {
    return this.#calls;
  }

  /** Scores of the text's tokens; `undefined`: not requested. */
  get scores(): readonly TokenScore[] | undefined {
    return this.#scores;
  }

  /** Scores of the prompt's tokens; empty: not requested, or reported with another choice. */
  get promptScores(): readonly PromptTokenScore[] {
    return this.#promptScores;
  }

  /** Ids of the generated tokens that the events report. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  addTokens(tokens: readonly number[]): void {
    this.#tokens.push(...tokens);
  }

  add(event: AnswerEvent): void {
    switch (event.type) {
      case "prompt-progress":
        break;
      case "prompt-scores":
        this.#promptScores.push(...event.scores);
        break;
      case "text-delta":
        this.#text += event.text;
        if (event.scores !== undefined) {
          this.#scores ??= [];
          this.#scores.push(...event.scores);
        }
        break;
      case "reasoning-delta":
        this.#reasoning += event.text;
        break;
      case "tool-call-begin":
        assert.equal(event.index, this.#calls.length, "calls must be numbered in order");
        this.#calls.push({ id: event.id, name: event.name, arguments: "" });
        break;
      case "tool-call-arguments": {
        const call = this.#calls[event.index];
        assert(call !== undefined, "a call must begin before its arguments");
        call.arguments += event.text;
      }
    }
  }
}
