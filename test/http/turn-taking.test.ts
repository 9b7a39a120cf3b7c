import { setImmediate as nextTurn } from "node:timers/promises";
import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import { takeTurns } from "../../src/http/turn-taking.js";

/** The numbers of the requests that have begun, after each turn of the event loop. */
async function beginningsByTurn(requests: number, requestsPerTurn: number): Promise<number[][]> {
  const hook = takeTurns(requestsPerTurn);
  const app = fastify();
  const begun: number[] = [];
  let turn = nextTurn();
  const asked = Array.from({ length: requests }, async (_, number) => {
    await hook.call(app, {} as never, {} as never);
    begun.push(number);
  });
  const turns: number[][] = [];
  do {
    await turn;
    turn = nextTurn();
    turns.push(begun.splice(0));
  } while (turns.flat().length < requests);
  await Promise.all(asked);
  return turns;
}

describe("taking turns", () => {
  it("lets a few requests begin in a turn of the event loop, in order", async () => {
    expect(await beginningsByTurn(5, 2)).toEqual([[0, 1], [2, 3], [4]]);
  });

  it("does not hold up what comes alone", async () => {
    expect(await beginningsByTurn(1, 2)).toEqual([[0]]);
  });

  it("lets requests begin at once again when the rush is over", async () => {
    const hook = takeTurns(1);
    const app = fastify();
    const ask = async () => hook.call(app, {} as never, {} as never);
    await Promise.all([ask(), ask(), ask()]);
    await nextTurn();
    await nextTurn();
    let begun = false;
    const alone = ask().then(() => {
      begun = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toBe(true);
    await alone;
  });
});
