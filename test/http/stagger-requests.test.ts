import { createServer, type Server } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { staggerRequests } from "../../src/http/stagger-requests.js";

let server: Server;
let started: string[];

beforeEach(() => {
  const urls: string[] = [];
  started = urls;
  server = createServer(({ url }) => urls.push(url ?? ""));
  staggerRequests(server, {
    eventLoopTurnsBetweenStarts: 2,
    isExpensive: ({ url }) => url !== "cheap",
  });
});

const receive = (...urls: readonly string[]) => {
  for (const url of urls) server.emit("request", { url }, {});
};

/** Requests started so far, recorded after each of a number of event-loop iterations. */
async function startedByTurn(turns: number): Promise<string[]> {
  const recorded: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await nextTurn();
    recorded.push(started.join(""));
  }
  return recorded;
}

describe("staggered requests", () => {
  it("start over several event-loop iterations, in order of arrival", async () => {
    receive("a", "b", "c");
    expect(started).toEqual(["a"]);
    expect(new Set(await startedByTurn(6))).toEqual(new Set(["a", "ab", "abc"]));
    expect(await startedByTurn(2)).toEqual(["abc", "abc"]);
  });

  it("start with event-loop iterations in between", async () => {
    receive("a", "b", "c");
    const recorded = await startedByTurn(6);
    expect(recorded.filter((letters) => letters === "ab")).toHaveLength(2);
  });

  it("start immediately if none is queued, even after a burst", async () => {
    receive("a", "b", "c");
    await startedByTurn(8);
    receive("d");
    expect(started).toEqual(["a", "b", "c", "d"]);
  });

  it("are overtaken by cheap requests", () => {
    receive("a", "b", "cheap");
    expect(started).toEqual(["a", "cheap"]);
  });

  it("are not started if their client has disconnected", async () => {
    const gone = { destroyed: false };
    receive("a");
    server.emit("request", { url: "b" }, gone);
    receive("c");
    gone.destroyed = true;
    await startedByTurn(8);
    expect(started).toEqual(["a", "c"]);
  });

  it("do not overtake queued requests", async () => {
    receive("a", "b", "c");
    await nextTurn();
    receive("d");
    await startedByTurn(8);
    expect(started).toEqual(["a", "b", "c", "d"]);
  });
});
