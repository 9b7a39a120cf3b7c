import { describe, expect, it } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import type { RequestEnd } from "../../src/core/request-observer.js";
import type { UsageEntry } from "../../src/core/usage.js";
import { recordRequests } from "../../src/telemetry/record-requests.js";
import { createUsageReporter } from "../../src/telemetry/usage-report.js";
import {
  chatRequest,
  event,
  finished,
  requestEnd,
  running,
  TestClock,
  text,
  waiting,
} from "./request-stages.js";

/** A request whose usage is collected. */
function countedRequest(beginning = chatRequest) {
  const clock = new TestClock();
  const entries: UsageEntry[] = [];
  const reporter = createUsageReporter({ add: (entry) => entries.push(entry) });
  const observation = recordRequests([reporter], clock).begin(beginning);
  const { observe } = observation;
  return { clock, entries, observe, end: (end: RequestEnd) => observation.end(end) };
}

const ofAlice = { ...waiting(), keyName: "alice" } as const;

describe("usage of a request", () => {
  it("is counted with its answer's last event, before the response has ended", () => {
    const { clock, entries, observe, end } = countedRequest();
    observe(0, {
      ...ofAlice,
      adapters: ["sql", "french"],
      media: { images: 2, audioSeconds: 1.5 },
    });
    clock.advance(50);
    observe(0, running);
    clock.advance(200);
    expect(entries).toEqual([]);
    observe(0, finished("stop", { cachedTokens: 12, completionTokens: 3 }));
    const expected: UsageEntry = {
      key: "alice",
      model: "mini",
      adapter: "french,sql",
      api: "/v1/chat/completions",
      class: "interactive",
      requests: 1,
      promptTokens: 20,
      cachedTokens: 12,
      completionTokens: 3,
      images: 2,
      audioSeconds: 1.5,
      engineMs: 200,
    };
    expect(entries).toEqual([expected]);
    end(requestEnd());
    expect(entries).toHaveLength(1);
  });

  it("counts the request, and a shared prompt with its media, once for several answers", () => {
    const { entries, observe } = countedRequest();
    const media = { images: 1, audioSeconds: 0 };
    observe(0, { ...ofAlice, media });
    observe(1, { ...ofAlice, media, sharesPrompt: true });
    for (const choice of [1, 0]) {
      observe(choice, running);
      observe(choice, finished("stop", { completionTokens: 4 }));
    }
    const counted = entries.map((entry) => [
      entry.requests,
      entry.promptTokens,
      entry.images,
      entry.completionTokens,
    ]);
    expect(counted).toEqual([
      [1, 0, 0, 4],
      [0, 20, 1, 4],
    ]);
  });

  it("includes answers that end after the response, with or without its client", () => {
    for (const delivery of ["complete", "cut-by-client"] as const) {
      const { entries, observe, end } = countedRequest();
      observe(0, ofAlice);
      observe(0, running);
      end(requestEnd({ delivery }));
      observe(0, finished("stop", { completionTokens: 9 }));
      expect(entries).toMatchObject([{ requests: 1, completionTokens: 9 }]);
    }
  });

  it("includes the generations that follow calls of tools", () => {
    const { entries, observe, end } = countedRequest();
    end(requestEnd());
    for (const turn of [0, 1]) {
      observe(turn, ofAlice);
      observe(turn, running);
      observe(turn, finished("tool-calls", { completionTokens: 5 }));
    }
    expect(entries).toMatchObject([
      { requests: 1, completionTokens: 5 },
      { requests: 0, completionTokens: 5 },
    ]);
  });

  it.each([
    ["cancelled", event({ type: "cancelled" })],
    ["failed", event({ type: "failed", error: new GgufdError("model_unavailable", "Gone.") })],
  ])("includes the prompt and the tokens of an answer that was %s", (_, last) => {
    const { entries, observe } = countedRequest();
    observe(0, ofAlice);
    observe(0, running);
    observe(0, text(7));
    observe(0, last);
    observe(0, last);
    expect(entries).toMatchObject([{ requests: 1, promptTokens: 20, completionTokens: 7 }]);
  });

  it("excludes answers that never left the queue", () => {
    const { entries, observe, end } = countedRequest();
    observe(0, ofAlice);
    observe(0, event({ type: "cancelled" }));
    end(requestEnd({ delivery: "cut-by-client" }));
    expect(entries).toEqual([]);
  });

  it("excludes the time outside of the engine, such as that of a batch that yields", () => {
    const { clock, entries, observe } = countedRequest({ ...chatRequest, batchId: "batch_1" });
    observe(0, ofAlice);
    observe(0, running);
    clock.advance(30);
    observe(0, { type: "paused" });
    clock.advance(10_000);
    observe(0, running);
    clock.advance(12);
    observe(0, finished("length"));
    expect(entries).toMatchObject([{ class: "batch", engineMs: 42 }]);
  });

  it("has the tokens of pooled inputs, and no key without keys", () => {
    const { entries, observe } = countedRequest({ ...chatRequest, route: "/v1/embeddings" });
    observe(0, waiting({ promptTokens: 0 }));
    observe(0, running);
    observe(0, { type: "pooled", promptTokens: 15 });
    expect(entries).toMatchObject([
      { key: "", api: "/v1/embeddings", adapter: "", promptTokens: 15, completionTokens: 0 },
    ]);
  });
});
