import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BodySizes,
  filled,
  limits,
  listed,
  listOf,
  nested,
} from "../../bench/scenarios/stalls-body.js";
import { mediaRequests } from "../../bench/scenarios/stalls-media-requests.js";
import { worstRequests } from "../../bench/scenarios/stalls-requests.js";
import { exceeds, JSON_LIMITS, measureJsonSize } from "../../src/core/json-size.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const list = (items: string) => `[${items}]`;
const MESSAGE = '{"role":"user","content":"a"}';
const chatWith = (field: string, json: string) => `{"messages":[${MESSAGE}],"${field}":${json}}`;
const chat = (messages: string) => `{"messages":[${messages}]}`;
const valuesIn = (json: string) => measureJsonSize(Buffer.from(json)).values;

describe("filled", () => {
  it("returns a body of the maximum number of bytes", () => {
    const anyUnit = fc.constantFrom("a", "able ", "\\n", "é", "🙂");
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 500 }), anyUnit, (bytes, unit) => {
        const length = Buffer.byteLength(filled(bytes, unit, (text) => `"${text}"`));
        expect(length).toBeLessThanOrEqual(bytes);
        expect(length + Buffer.byteLength(unit)).toBeGreaterThan(bytes);
      }),
    );
  });
});

describe("listed", () => {
  it("returns the largest number of items that the limit on values allows", () => {
    const anyItem = fc.constantFrom("0", '"a"', "[0]", '{"a":"b","c":[0,0]}');
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 500 }), anyItem, (values, item) => {
        const body = listed({ values, items: Infinity }, () => item, list);
        const longer = list(listOf(JSON.parse(body).length + 1, () => item));
        expect(valuesIn(body)).toBeLessThanOrEqual(values);
        // Each item is counted with a comma, including the last one.
        expect(valuesIn(longer) + 1).toBeGreaterThan(values);
      }),
    );
  });

  it("returns at most the given number of items", () => {
    const body = listed({ values: 100, items: 3 }, (index) => String(index), list);
    expect(body).toBe("[0,1,2]");
  });
});

describe("the worst-case bodies", () => {
  const sizes: BodySizes = {
    bytes: limits.bytes,
    values: limits.values,
    contextSize: 4096,
    pipelined: 1000,
    fittingText: "A text that fits.",
  };
  const bodies = [...worstRequests].flatMap(([name, { body, prepared }]) => [
    ...(body === undefined ? [] : [[name, body] as const]),
    ...(prepared === undefined ? [] : [[`${name}, prepared`, prepared.body] as const]),
  ]);

  /** Bodies that exceed the limits with few bytes. */
  const excessive = ["zeros as messages", "millions of stop strings", "brackets as messages"].map(
    (name) => `/v1/chat/completions: ${name}`,
  );

  /** Maximum size of a body; with media it is 32 MiB instead of 4 MiB. */
  const mostBytes = (name: string, usual: number) => (name in mediaRequests ? 8 * usual : usual);

  it.each(bodies)(
    "%s stays within the limits, unless it is meant to exceed them",
    (name, build) => {
      const body = Buffer.from(build(sizes));
      expect(body.length).toBeLessThanOrEqual(mostBytes(name, limits.bytes));
      expect(exceeds(measureJsonSize(body), JSON_LIMITS)).toBe(excessive.includes(name));
    },
  );

  it("are JSON or forms, except for two", () => {
    const small = { ...sizes, bytes: 10_000, values: 10_000 };
    const broken = bodies
      .filter(([name]) => !/^\/v1\/(?:audio|files)/.test(name))
      .filter(([, build]) => !isJson(build(small)))
      .map(([name]) => name);
    expect(broken.toSorted()).toEqual([
      "/v1/chat/completions: brackets as messages",
      "/v1/chat/completions: no JSON",
    ]);
  });

  it("can be built smaller", () => {
    const small = { ...sizes, bytes: 100_000, values: 10_000 };
    for (const [name, build] of bodies) {
      expect(Buffer.byteLength(build(small)), name).toBeLessThanOrEqual(mostBytes(name, 200_000));
    }
  });
});

describe("the body limits of the benchmark", () => {
  /** Body with `count` of the limited elements. */
  const bodies: Readonly<Record<keyof typeof limits, (count: number) => string>> = {
    bytes: (count) => filled(count, "x", (text) => chatWith("m", `"${text}"`)),
    values: (count) => {
      const withZeros = (zeros: number) => chatWith("m", list(listOf(zeros, () => "0")));
      return withZeros(count - valuesIn(withZeros(1)) + 1);
    },
    members: (count) => chatWith("m", `{${listOf(count, (index) => `"m${index}":0`)}}`),
    depth: (count) => chatWith("m", nested(count - 1, "[", "", "]")),
    messages: (count) => chat(listOf(count, () => MESSAGE)),
    parts: (count) => {
      const parts = listOf(count, () => '{"type":"text","text":"a"}');
      return chat(`{"role":"user","content":[${parts}]}`);
    },
    toolCalls: (count) => {
      const call = '{"id":"1","function":{"name":"f","arguments":"{}"}}';
      const calls = listOf(count, () => call);
      return chat(`{"role":"assistant","tool_calls":[${calls}]},${MESSAGE}`);
    },
    tools: (count) =>
      chatWith("tools", list(listOf(count, () => '{"type":"function","function":{"name":"f"}}'))),
    logitBiases: (count) => chatWith("logit_bias", `{${listOf(count, (id) => `"${id}":1`)}}`),
    templateVariables: (count) =>
      chatWith("chat_template_kwargs", `{${listOf(count, (index) => `"v${index}":1`)}}`),
  };
  const names = Object.keys(limits) as (keyof typeof limits)[];

  it.each(names)("match the server's limits: %s", async (name) => {
    const engine = new ScriptedEngine(() => ({ parts: ["a"] }), { contextSize: 100_000 });
    const { app } = buildTestApp(engine);
    const statusWith = async (count: number) => {
      const { statusCode } = await app.inject({
        method: "POST",
        url: "/v1/chat/completions",
        headers: { "content-type": "application/json" },
        payload: bodies[name](count),
      });
      return statusCode;
    };
    expect(await statusWith(limits[name])).toBe(200);
    expect(await statusWith(limits[name] + 1)).toBe(name === "bytes" ? 413 : 400);
    await app.close();
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
