import { describe, expect, test } from "vitest";
import { describeTransfer, PullProgress } from "../../../src/cli/models/pull-progress.js";
import type { PullEvent } from "../../../src/core/pull-event.js";

describe("the progress text", () => {
  test.each([
    [2.1e9, 5e9, 85e6, "42 %, 2.1 GB of 5.0 GB, 85 MB/s, 0:35 left"],
    [0, 5e9, 1e5, "0 %, 0.0 B of 5.0 GB, 100 kB/s, 13:53:20 left"],
    [4.999e9, 5e9, undefined, "99 %, 5.0 GB of 5.0 GB"],
    [5e9, 5e9, 0, "100 %, 5.0 GB of 5.0 GB, 0.0 B/s"],
    [0, 0, undefined, "100 %, 0.0 B of 0.0 B"],
    [2e6, undefined, 1e6, "2.0 MB, 1.0 MB/s"],
  ])(
    "for %d of %d bytes at %d bytes/s has the percentage, sizes, rate and time left",
    (completedBytes, totalBytes, bytesPerSecond, expected) => {
      expect(describeTransfer({ completedBytes, totalBytes, bytesPerSecond })).toBe(expected);
    },
  );
});

/** Shows events at the given times, in milliseconds. */
function shown(
  events: readonly (readonly [atMs: number, event: PullEvent])[],
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
): string[] {
  const written: string[] = [];
  let nowMs = 0;
  const output = { ...terminal, write: (text: string) => written.push(text) };
  const progress = new PullProgress("hf:u/r", output, () => nowMs);
  for (const [atMs, event] of events) {
    nowMs = atMs;
    progress.onEvent(event);
  }
  progress.end();
  return written;
}

const file = (path: string, sizeBytes: number | undefined) =>
  ({ path, role: "model", sizeBytes, sha256: undefined }) as const;
const resolved: PullEvent = {
  type: "resolved",
  name: "u/r:Q4_0",
  files: [file("a", 1_000_000), file("b", 1_000_000)],
};
const at = (path: string, completedBytes: number): PullEvent => ({
  type: "progress",
  path,
  completedBytes,
  totalBytes: 1_000_000,
});

describe("the progress of a pull", () => {
  test("is one line per second without a terminal, summed over all files", () => {
    expect(
      shown([
        [0, { type: "resolving", name: "hf:u/r" }],
        [0, resolved],
        [0, at("a", 0)],
        [500, at("a", 250_000)],
        [1000, at("a", 500_000)],
        [1900, at("a", 1_000_000)],
        [1900, { type: "stored", path: "a", verifiedBy: "sha256" }],
        [2000, at("b", 100_000)],
      ]),
    ).toEqual([
      "u/r:Q4_0: 0 %, 0.0 B of 2.0 MB\n",
      "u/r:Q4_0: 25 %, 500 kB of 2.0 MB, 500 kB/s, 0:03 left\n",
      "u/r:Q4_0: 55 %, 1.1 MB of 2.0 MB, 550 kB/s, 0:02 left\n",
    ]);
  });

  test("is a bar that fits the terminal and is cleared at the end", () => {
    const lines = shown(
      [
        [0, resolved],
        [0, at("a", 0)],
        [100, at("a", 1_000_000)],
      ],
      {
        isTTY: true,
        columns: 60,
      },
    );
    expect(lines[1]).toContain("u/r:Q4_0 ███████████████░░░░░░░░░░░░░░░ 50 %, 1.0");
    const clearLine = "\r\u001b[K";
    for (const line of lines) {
      expect(line.startsWith(clearLine)).toBe(true);
      expect(line.length - clearLine.length).toBeLessThan(60);
    }
    expect(lines.at(-1)).toBe(clearLine);
  });

  test("prints errors on separate lines", () => {
    const events: PullEvent[] = [
      { type: "retrying", path: undefined, reason: "the server answered 503", delayMs: 1500 },
      { type: "waiting", path: "a", reason: "in use by process 7 on here" },
      { type: "restarting", path: "a", reason: "the source sends the file from its beginning" },
    ];
    expect(shown(events.map((event) => [0, event]))).toEqual([
      "hf:u/r: the server answered 503; retrying in 1.5 s\n",
      "a: in use by process 7 on here; waiting\n",
      "a: the source sends the file from its beginning; restarting the download\n",
    ]);
  });

  test("excludes bytes read from the disk from the network rate", () => {
    const checking = (completedBytes: number): PullEvent => ({
      type: "checking",
      path: "a",
      completedBytes,
      totalBytes: 1_000_000,
    });
    const lines = shown([
      [0, resolved],
      [0, checking(1000)],
      [1000, checking(900_000)],
      [2000, at("a", 900_000)],
      [3000, at("a", 910_000)],
    ]);
    expect(lines[1]).toBe("u/r:Q4_0: 45 %, 900 kB of 2.0 MB (verifying downloaded data)\n");
    expect(lines.at(-1)).toBe("u/r:Q4_0: 45 %, 910 kB of 2.0 MB, 10 kB/s, 1:49 left\n");
  });
});
