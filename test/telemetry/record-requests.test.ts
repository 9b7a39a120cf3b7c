import { describe, expect, it } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import {
  BEGAN_AT_EPOCH_MS,
  chatRequest,
  event,
  finished,
  followedRequest,
  requestEnd,
  running,
  text,
  waiting,
} from "./request-stages.js";

describe("the record of a request", () => {
  it("has the times of the answer relative to the start of the request, and the tokens", () => {
    const { clock, observe, end, records } = followedRequest();
    clock.advance(5);
    observe(0, waiting());
    clock.advance(10);
    observe(0, running);
    clock.advance(100);
    observe(0, text(1, { cachedTokens: 12 }));
    clock.advance(50);
    observe(0, text(2, { cachedTokens: 12 }));
    clock.advance(30);
    observe(0, finished("stop", { cachedTokens: 12, completionTokens: 3, reasoningTokens: 1 }));
    clock.advance(1);
    end(requestEnd({ durationMs: 196 }));
    expect(records).toEqual([
      {
        beginning: chatRequest,
        end: requestEnd({ durationMs: 196 }),
        beganAtEpochMs: BEGAN_AT_EPOCH_MS,
        answers: [
          {
            model: "mini",
            promptTokens: 20,
            cachedTokens: 12,
            completionTokens: 3,
            reasoningTokens: 1,
            waitingAtMs: expect.closeTo(5, 6),
            runningAtMs: expect.closeTo(15, 6),
            firstOutputAtMs: expect.closeTo(115, 6),
            endedAtMs: expect.closeTo(195, 6),
            engineMs: expect.closeTo(180, 6),
            ending: { type: "finished", reason: "stop" },
          },
        ],
      },
    ]);
  });

  it("has no answer if nothing was generated", () => {
    const { end, records } = followedRequest();
    end(requestEnd({ status: 404, errorCode: "not_found" }));
    expect(records[0]?.answers).toEqual([]);
  });

  it("does not count prompt scores as output", () => {
    const { clock, observe, end, records } = followedRequest();
    observe(0, waiting());
    observe(0, running);
    clock.advance(10);
    const usage = { promptTokens: 20, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
    observe(0, event({ type: "prompt-scores", scores: [], usage }));
    clock.advance(10);
    observe(0, finished("length"));
    end(requestEnd());
    expect(records[0]?.answers[0]).not.toHaveProperty("firstOutputAtMs");
  });

  it("counts a prompt shared by several choices once", () => {
    const { observe, end, records } = followedRequest();
    observe(0, waiting());
    observe(1, waiting({ sharesPrompt: true }));
    for (const choice of [0, 1]) {
      observe(choice, running);
      observe(choice, finished("stop", { cachedTokens: 19, completionTokens: 4 }));
    }
    end(requestEnd());
    const answers = records[0]?.answers.map((answer) => [
      answer.promptTokens,
      answer.cachedTokens,
      answer.completionTokens,
    ]);
    expect(answers).toEqual([
      [20, 19, 4],
      [0, 0, 4],
    ]);
  });

  it("keeps the time at which a retried generation first left the queue", () => {
    const { clock, observe, end, records } = followedRequest();
    observe(0, waiting());
    clock.advance(10);
    observe(0, running);
    clock.advance(1000);
    observe(0, waiting());
    observe(0, running);
    observe(0, finished("stop"));
    end(requestEnd());
    const [answer] = records[0]?.answers ?? [];
    expect(answer?.waitingAtMs).toBeCloseTo(0);
    expect(answer?.runningAtMs).toBeCloseTo(10);
  });

  it("reports an abandoned answer as cancelled, with the tokens generated so far", () => {
    const { clock, observe, end, records } = followedRequest();
    observe(0, waiting());
    observe(0, running);
    observe(0, text(7));
    clock.advance(25);
    end(requestEnd({ delivery: "cut-by-client" }));
    expect(records[0]?.answers[0]).toMatchObject({
      completionTokens: 7,
      endedAtMs: expect.closeTo(25, 6),
      ending: { type: "cancelled" },
    });
    observe(0, event({ type: "cancelled" }));
    expect(records).toHaveLength(1);
  });

  it("contains the error of a failed answer", () => {
    const { observe, end, records } = followedRequest();
    observe(0, waiting());
    observe(0, running);
    observe(
      0,
      event({ type: "failed", error: new GgufdError("model_unavailable", "It is gone.") }),
    );
    end(requestEnd({ errorCode: "model_unavailable" }));
    expect(records[0]?.answers[0]?.ending).toEqual({ type: "failed", code: "model_unavailable" });
  });

  it("is completed after background work", () => {
    const { clock, observe, end, records } = followedRequest();
    observe(0, waiting());
    observe(1, waiting());
    end(requestEnd());
    observe(0, running);
    observe(0, finished("stop", { completionTokens: 5 }));
    expect(records).toEqual([]);
    clock.advance(500);
    observe(1, finished("length", { completionTokens: 6 }));
    expect(records).toHaveLength(1);
    expect(records[0]?.answers.map((answer) => answer.completionTokens)).toEqual([5, 6]);
    expect(records[0]?.end.durationMs).toBe(100);
  });

  it("is completed without waiting for the answers of a request that got an error response", () => {
    const { observe, end, records } = followedRequest();
    observe(0, waiting());
    end(requestEnd({ status: 503, errorCode: "server_overloaded" }));
    expect(records).toHaveLength(1);
  });

  it("is completed with the tokens of pooled inputs", () => {
    const { clock, observe, end, records } = followedRequest();
    observe(0, waiting({ promptTokens: 17 }));
    observe(0, running);
    clock.advance(8);
    observe(0, { type: "pooled", promptTokens: 15 });
    end(requestEnd());
    expect(records[0]?.answers[0]).toMatchObject({
      promptTokens: 15,
      completionTokens: 0,
      endedAtMs: expect.closeTo(8, 6),
      ending: { type: "pooled" },
    });
  });
});

describe("the trace context of a request", () => {
  const clientsTrace = "0af7651916cd43dd8448eb211c80319c";
  const traceParent = `00-${clientsTrace}-b7ad6b7169203331-01`;

  it("is taken from the client's traceparent header", () => {
    const { end, records } = followedRequest({ ...chatRequest, traceParent });
    end(requestEnd());
    expect(records[0]?.traceId).toBe(clientsTrace);
  });

  it("is replaced by the span that a reporter has started", () => {
    const begun = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${begun}-00f067aa0ba902b7-01`;
    const reporter = {
      begin: () => ({ responseHeaders: { traceparent }, complete: () => undefined }),
    };
    const { end, records, responseHeaders } = followedRequest(chatRequest, [reporter]);
    end(requestEnd());
    expect(responseHeaders).toEqual({ traceparent });
    expect(records[0]?.traceId).toBe(begun);
  });

  it("is absent without a valid traceparent header", () => {
    for (const beginning of [chatRequest, { ...chatRequest, traceParent: "00-12-34-01" }]) {
      const { end, records } = followedRequest(beginning);
      end(requestEnd());
      expect(records[0]).not.toHaveProperty("traceId");
    }
  });
});
