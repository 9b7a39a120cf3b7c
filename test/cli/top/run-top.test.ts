import { describe, expect, it } from "vitest";
import type { Reading } from "../../../src/cli/top/read-metrics.js";
import { printOnce, showLive } from "../../../src/cli/top/run-top.js";
import { parsePrometheusText } from "../../../src/live-metrics/prometheus-text.js";

const url = "http://127.0.0.1:8080";

const reading = (atMs: number, requests: number): Reading => ({
  type: "scrape",
  scrape: { atMs, samples: parsePrometheusText(`ggufd:http_requests_total ${requests}`) },
});
const unreachable: Reading = { type: "failure", reason: "cannot be reached: ECONNREFUSED" };

/** Readings returned in order, and the recorded waits between them. */
function readings(...all: readonly Reading[]) {
  const left = [...all];
  const waits: number[] = [];
  return {
    waits,
    left,
    options: {
      url,
      intervalMs: 2000,
      read: async () => left.shift() ?? unreachable,
      wait: async (ms: number) => {
        waits.push(ms);
      },
    },
  };
}

/** Shows the table until there are no more readings. */
async function shown(...all: readonly Reading[]): Promise<readonly string[]> {
  const { options, left } = readings(...all);
  const end = new AbortController();
  const screens: string[] = [];
  const screen = {
    columns: 80,
    show: (lines: readonly string[]) => {
      screens.push(lines.join("\n"));
      if (left.length === 0) end.abort();
    },
  };
  await showLive(options, screen, end.signal);
  return screens;
}

describe("the live table", () => {
  it("shows the rates of each interval", async () => {
    const screens = await shown(reading(0, 10), reading(2000, 30), reading(4000, 32));
    expect(screens.map((screen) => /requests (\S+)\/s/.exec(screen)?.[1])).toEqual([
      "–",
      "10",
      "1.0",
    ]);
  });

  it("shows a server's error, and continues when the server is reachable again", async () => {
    const screens = await shown(reading(0, 10), unreachable, reading(4000, 50));
    expect(screens[1]).toContain("cannot be reached: ECONNREFUSED");
    expect(screens[2]).toContain("requests 10/s");
  });

  it("draws nothing after it was stopped", async () => {
    const end = new AbortController();
    const { options } = readings();
    const read = async () => {
      end.abort();
      return unreachable;
    };
    const show = () => expect.unreachable("drew after its end");
    await showLive({ ...options, read }, { columns: 80, show }, end.signal);
  });
});

describe("ggufd top --once", () => {
  it("prints the table of one interval", async () => {
    const { options, waits } = readings(reading(0, 10), reading(2000, 12));
    expect(await printOnce(options)).toBe(
      "ggufd at http://127.0.0.1:8080:\nrequests 1.0/s  errors none  memory –, engines –\n\nno model\n",
    );
    expect(waits).toEqual([2000]);
  });

  it.each([
    ["for the first reading", [unreachable]],
    ["for the second reading", [reading(0, 1), unreachable]],
  ])("fails if the server is unreachable %s", async (_, all) => {
    const { options } = readings(...all);
    await expect(printOnce(options)).rejects.toThrow(
      "http://127.0.0.1:8080 cannot be reached: ECONNREFUSED",
    );
  });
});
