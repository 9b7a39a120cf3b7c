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
  takeTurns(server, { requestsPerTurn: 2, isUrgent: ({ url }) => url === "urgent" });
});

const ask = (...urls: readonly string[]) => {
  for (const url of urls) server.emit("request", { url }, {});
};

describe("requests that take turns", () => {
  it("begin a few in each turn of the event loop, in order", async () => {
    const first = nextTurn();
    ask("a", "b", "c", "d", "e");
    expect(begun).toEqual(["a", "b"]);
    await first;
    const second = nextTurn();
    expect(begun).toEqual(["a", "b"]);
    await second;
    const third = nextTurn();
    expect(begun).toEqual(["a", "b", "c", "d"]);
    await third;
    await nextTurn();
    expect(begun).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("begin at once when they come alone, also after a rush", async () => {
    ask("a", "b", "c");
    await nextTurn();
    await nextTurn();
    await nextTurn();
    ask("d");
    expect(begun).toEqual(["a", "b", "c", "d"]);
  });

  it("are overtaken by urgent ones", () => {
    ask("a", "b", "c", "urgent");
    expect(begun).toEqual(["a", "b", "urgent"]);
  });

  it("do not overtake those that wait", async () => {
    ask("a", "b", "c");
    await nextTurn();
    ask("d");
    await nextTurn();
    await nextTurn();
    expect(begun).toEqual(["a", "b", "c", "d"]);
  });
});
