import { describe, expect, it } from "vitest";
import { metricOn, openAnswers } from "../../bench/client/metrics-page.js";
import { runApp } from "../support/running-app.js";
import { ScriptedEngine } from "../support/scripted-engine.js";

const page = [
  "# HELP a:running Help.",
  'a:running{model="x y"} 2',
  'a:running{model="z"} 3.5',
  "a:running_total 9",
  "alone 7",
].join("\n");

describe("a metric on a page", () => {
  it("is the sum of its series, without metrics of the same prefix", () => {
    expect(metricOn(page, "a:running")).toBe(5.5);
    expect(metricOn(page, "alone")).toBe(7);
  });

  it("is no number when it is absent", () => {
    expect(metricOn(page, "a:run")).toBeNaN();
  });

  it("counts the open answers", async () => {
    const engine = new ScriptedEngine(() => ({ parts: ["a"], ending: "never" }));
    const { url, close } = await runApp(engine);
    const signal = new AbortController().signal;
    expect(await openAnswers(`${url}/v1`, signal)).toBe(0);
    const asking = new AbortController();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "scripted",
        messages: [{ role: "user", content: "x" }],
        stream: true,
      }),
      signal: asking.signal,
    });
    expect(response.status).toBe(200);
    expect(await openAnswers(`${url}/v1`, signal)).toBe(1);
    asking.abort();
    await close();
  });
});
