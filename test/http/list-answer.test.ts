import { setImmediate } from "node:timers/promises";
import { fastify } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AnswerList, printInTurns, sendListAnswer } from "../../src/http/list-answer.js";

const fields = { object: "list", model: 'a"]}' };

function listOf(count: number, itemsPerTurn: number): AnswerList<number> {
  const items = Array.from({ length: count }, (_, index) => index);
  return {
    name: "data",
    items,
    toJson: (item, index) => ({ index, twice: 2 * item }),
    itemsPerTurn,
  };
}

async function textOf(list: AnswerList<number>): Promise<string> {
  let text = "";
  for await (const piece of printInTurns(fields, list)) text += piece;
  return text;
}

describe("an answer with a list", () => {
  it.each([
    [0, 1],
    [1, 1],
    [7, 1],
    [7, 3],
    [6, 3],
    [7, 10],
  ])("of %d items is the same in turns of %d", async (count, itemsPerTurn) => {
    const list = listOf(count, itemsPerTurn);
    expect(await textOf(list)).toBe(
      JSON.stringify({ ...fields, data: list.items.map(list.toJson) }),
    );
  });

  it("lets others have their turn while it is printed", async () => {
    let [turns, isPrinting] = [0, true];
    const others = (async () => {
      while (isPrinting) {
        await setImmediate();
        turns++;
      }
    })();
    await textOf(listOf(50, 1));
    isPrinting = false;
    await others;
    expect(turns).toBeGreaterThanOrEqual(50);
  });

  it.each([3, 4])("is sent with the type of JSON, of %d items", async (count) => {
    const app = fastify();
    onTestFinished(() => app.close());
    app.get("/", async (_request, reply) => sendListAnswer(reply, fields, listOf(count, 3)));
    const response = await app.inject("/");
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.json()).toMatchObject({ ...fields, data: { length: count } });
  });
});
