import { createServer, type Server } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { takeTurns } from "../../src/http/turn-taking.js";

let server: Server;
let begun: string[];

beforeEach(() => {
  const own: string[] = [];
  begun = own;
  server = createServer(({ url }) => own.push(url ?? ""));
  takeTurns(server, { turnsApart: 2, isLong: ({ url }) => url !== "short" });
});

const ask = (...urls: readonly string[]) => {
  for (const url of urls) server.emit("request", { url }, {});
};

/** What has begun after each of so many turns of the event loop. */
async function begunByTurn(turns: number): Promise<string[]> {
  const seen: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await nextTurn();
    seen.push(begun.join(""));
  }
  return seen;
}

describe("requests that take turns", () => {
  it("begin some turns of the event loop apart, in order", async () => {
    ask("a", "b", "c");
    expect(begun).toEqual(["a"]);
    expect(new Set(await begunByTurn(6))).toEqual(new Set(["a", "ab", "abc"]));
    expect(await begunByTurn(2)).toEqual(["abc", "abc"]);
  });

  it("leave turns between them", async () => {
    ask("a", "b", "c");
    const seen = await begunByTurn(6);
    expect(seen.filter((letters) => letters === "ab")).toHaveLength(2);
  });

  it("begin at once when they come alone, also after a rush", async () => {
    ask("a", "b", "c");
    await begunByTurn(8);
    ask("d");
    expect(begun).toEqual(["a", "b", "c", "d"]);
  });

  it("are overtaken by short ones", () => {
    ask("a", "b", "short");
    expect(begun).toEqual(["a", "short"]);
  });

  it("do not overtake those that wait", async () => {
    ask("a", "b", "c");
    await nextTurn();
    ask("d");
    await begunByTurn(8);
    expect(begun).toEqual(["a", "b", "c", "d"]);
  });
});
