import { setImmediate } from "node:timers/promises";
import { fastify } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { LazyList } from "../../src/core/json.js";
import { printInChunks, sendLargeAnswersInChunks } from "../../src/http/large-answers.js";

async function piecesOf(answer: unknown): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of printInChunks(answer)) pieces.push(piece);
  return pieces;
}

const numbers = Array.from({ length: 100_000 }, (_, index) => index / 3);
const squares = new LazyList(50_000, (index) => ({ index, square: index ** 2 }));

const answers: Readonly<Record<string, unknown>> = {
  "a small object": { a: [1, null, "é"], b: undefined },
  "many numbers": { data: numbers, count: numbers.length },
  "a lazy list": { data: squares },
  "a lazy list of lazy lists": new LazyList(3, () => squares),
  "an empty lazy list": { data: new LazyList(0, () => 0) },
  "a long text": "🙂\n".repeat(100_000),
  "a long text out of step": `a${"🙂".repeat(100_000)}`,
  "half a character": `\ud83d${"a".repeat(100_000)}`,
  "many members": Object.fromEntries(
    numbers.slice(0, 20_000).map((number) => [`k"${number}`, number]),
  ),
  "values that JSON has not": { list: [...numbers, undefined, Number.NaN], gone: undefined },
  "what is deep": { a: { b: [{ c: numbers }, { d: "x".repeat(100_000) }] } },
};

describe("an answer that is serialised in slices", () => {
  it.each(Object.keys(answers))("equals the JSON text: %s", async (name) => {
    const printed = (await piecesOf(answers[name])).join("");
    expect(printed === JSON.stringify(answers[name])).toBe(true);
  });

  it("consists of pieces of a bounded length", async () => {
    const pieces = await piecesOf({ data: numbers, text: "x".repeat(1_000_000) });
    expect(pieces.length).toBeGreaterThan(60);
    for (const { length } of pieces) expect(length).toBeLessThan(100_000);
  });

  it("creates the items of a lazy list during serialisation", async () => {
    let made = 0;
    const list = new LazyList(50_000, (index) => {
      made++;
      return index;
    });
    const pieces = printInChunks(list);
    await pieces.next();
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(20_000);
    await pieces.return();
  });

  it("yields to the event loop between pieces", async () => {
    let [turns, isPrinting] = [0, true];
    const others = (async () => {
      while (isPrinting) {
        await setImmediate();
        turns++;
      }
    })();
    const { length } = await piecesOf(numbers);
    isPrinting = false;
    await others;
    expect(length).toBeGreaterThan(20);
    expect(turns).toBeGreaterThanOrEqual(length - 1);
  });
});

describe("the answers of an application", () => {
  const appWith = (answer: object) => {
    const app = fastify();
    onTestFinished(() => app.close());
    sendLargeAnswersInChunks(app);
    app.get("/", async () => answer);
    return app;
  };

  it.each([
    ["small", { a: 1 }, "7"],
    ["large", { data: numbers }, undefined],
  ])("are JSON, whether they are small or large: %s", async (_, answer, length) => {
    const response = await appWith(answer).inject("/");
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.headers["content-length"]).toBe(length);
    expect(response.body === JSON.stringify(answer)).toBe(true);
  });

  it("have no body for HEAD", async () => {
    const response = await appWith({ data: numbers }).inject({ url: "/", method: "HEAD" });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("");
  });
});
