import fc from "fast-check";
import { accumulateResponse } from "openai/lib/responses/ResponseAccumulator";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { ResponsePrinter } from "../../../src/api/responses/answer.js";
import { createResponse } from "../../../src/api/responses/create-response.js";
import { responseEvent } from "../../../src/api/responses/event-schema.js";
import type { ReasoningReport } from "../../../src/api/responses/output-items.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { FinishReason, GenerationEvent } from "../../../src/core/generation-event.js";

const usage = { promptTokens: 5, cachedTokens: 2, completionTokens: 3, reasoningTokens: 1 };
const timings = {
  prefillMs: 1,
  decodeMs: 1,
  draftTokens: 0,
  acceptedDraftTokens: 0,
  forcedTokens: 0,
};
const text = (piece: string): GenerationEvent => ({ type: "text-delta", text: piece, usage });
const reasoning = (piece: string): GenerationEvent => ({
  type: "reasoning-delta",
  text: piece,
  usage,
});
const call = (index: number): GenerationEvent => ({
  type: "tool-call-begin",
  index,
  id: `call_${index}`,
  name: "now",
  usage,
});
const written = (index: number, piece: string): GenerationEvent => ({
  type: "tool-call-arguments",
  index,
  text: piece,
  usage,
});
const finished = (reason: FinishReason): GenerationEvent => ({
  type: "finished",
  reason,
  usage,
  timings,
});

const asContent: ReasoningReport = { as: "content", opaque: "absent" };

function newPrinter(report = asContent): ResponsePrinter {
  const response = createResponse({ input: "Hi" }, { id: "resp_1", createdAt: 1, model: "m" });
  return new ResponsePrinter(response, { reasoning: report, tools: [], now: () => 2 });
}

function print(events: readonly GenerationEvent[], report = asContent) {
  const printer = newPrinter(report);
  return { printed: events.flatMap((event) => printer.print(event)), response: printer.response };
}

/** The output without its random ids. */
function outputOf({ output }: { readonly output: readonly object[] }) {
  return output.map((item) => ({ ...item, id: undefined }));
}

const whole = [
  reasoning('Hm "\n'),
  text("Wait\u0000.\r\n\n"),
  call(0),
  written(0, '{"a":"\\n"}'),
  call(1),
  written(1, "{}"),
  finished("tool-calls"),
];

describe("ResponsePrinter", () => {
  it("reports the generated items in order", () => {
    const { response } = print(whole);
    expect(response).toMatchObject({
      status: "completed",
      completed_at: 2,
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 8,
      },
    });
    expect(outputOf(response)).toMatchObject([
      { type: "reasoning", content: [{ text: 'Hm "\n' }], summary: [] },
      { type: "message", content: [{ text: "Wait\u0000.\r\n\n" }] },
      { type: "function_call", call_id: "call_0", arguments: '{"a":"\\n"}' },
      { type: "function_call", call_id: "call_1", arguments: "{}" },
    ]);
  });

  it("numbers its events consecutively from 0, each matching the event schema", () => {
    const { printed } = print(whole);
    expect(printed.map(({ sequence_number }) => sequence_number)).toEqual([...printed.keys()]);
    for (const event of printed) expect(responseEvent.parse(event)).toEqual(event);
  });

  it("returns the same output for any chunk boundaries", () => {
    const kinds = fc.constantFrom("text", "reasoning", "call");
    const pieces = fc.array(fc.string({ unit: "binary", minLength: 1 }), { minLength: 1 });
    const parts = fc.array(fc.tuple(kinds, pieces), { maxLength: 6 });
    fc.assert(
      fc.property(parts, fc.constantFrom<FinishReason>("stop", "length"), (answer, reason) => {
        let calls = 0;
        const eventsOf = (cut: (pieces: readonly string[]) => readonly string[]) => {
          calls = 0;
          const events = answer.flatMap(([kind, texts]) => {
            if (kind === "text") return cut(texts).map(text);
            if (kind === "reasoning") return cut(texts).map(reasoning);
            const index = calls++;
            return [call(index), ...cut(texts).map((piece) => written(index, piece))];
          });
          return [...events, finished(reason)];
        };
        const inPieces = print(eventsOf((texts) => texts));
        const atOnce = print(eventsOf((texts) => [texts.join("")]));
        expect(outputOf(inPieces.response)).toEqual(outputOf(atOnce.response));
        expect(inPieces.response.status).toBe(reason === "length" ? "incomplete" : "completed");
      }),
    );
  });

  it.each<ReasoningReport["as"]>(["content", "summary"])(
    "sends events that the OpenAI SDK accumulates to the same response, with reasoning as %s",
    (as) => {
      const { printed, response } = print(whole.slice(0, -1), { as, opaque: "added" });
      let snapshot: Response | undefined;
      for (const event of received(printed)) snapshot = accumulateResponse(event, snapshot);
      const closed = outputOf(response);
      expect(outputOf(snapshot ?? { output: [] }).slice(0, closed.length)).toEqual(closed);
    },
  );

  it("reports reasoning as a summary and as encrypted content on request", () => {
    const { response, printed } = print(whole, { as: "summary", opaque: "added" });
    expect(response.output[0]).toMatchObject({
      summary: [{ type: "summary_text", text: 'Hm "\n' }],
      encrypted_content: expect.stringContaining("ggufd-reasoning-1."),
    });
    expect(response.output[0]).not.toHaveProperty("content");
    expect(printed.slice(2, 8).map(({ type }) => type)).toEqual([
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
    ]);
  });

  it("marks the item that was truncated as incomplete", () => {
    const { response } = print([text("One"), call(0), written(0, '{"a'), finished("length")]);
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      completed_at: null,
      output: [{ status: "completed" }, { status: "incomplete", arguments: '{"a' }],
    });
  });

  it("ends a failed response with its error and keeps the partial output", () => {
    const error = new GgufdError("internal_error", "It broke.");
    const { response, printed } = print([text("One"), { type: "failed", error }]);
    expect(printed.at(-1)?.type).toBe("response.failed");
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "It broke." },
      output: [{ status: "incomplete", content: [{ text: "One" }] }],
    });
  });

  it("never modifies a response that it has returned", () => {
    const printer = newPrinter();
    printer.print(text("One"));
    const before = printer.response;
    const copy = structuredClone(before);
    printer.print(finished("stop"));
    expect(before).toEqual(copy);
  });

  it("starts a background response with the queued event", () => {
    const printer = newPrinter();
    const types = [...printer.queue(), ...printer.print(text("One"))].map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
    ]);
  });

  it("reports the log-probabilities of the text", () => {
    const scored: GenerationEvent = {
      type: "text-delta",
      text: "é",
      scores: [{ id: 1, bytes: [0xc3, 0xa9], logProbability: Number.NEGATIVE_INFINITY, top: [] }],
      usage,
    };
    const { response, printed } = print([scored, finished("stop")]);
    const logprobs = [{ token: "é", logprob: -9999, bytes: [0xc3, 0xa9], top_logprobs: [] }];
    expect(response.output).toMatchObject([{ content: [{ logprobs }] }]);
    const delta = printed.find(({ type }) => type === "response.output_text.delta");
    expect(delta).toMatchObject({ logprobs });
  });
});

/** Converts events to the SDK's types. */
function received(printed: readonly object[]): readonly ResponseStreamEvent[] {
  return JSON.parse(JSON.stringify(printed));
}
