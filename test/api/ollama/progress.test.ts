import { describe, expect, it } from "vitest";
import { type ProgressLine, toCreateLines, toPullLines } from "../../../src/api/ollama/progress.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { PullEvent } from "../../../src/core/pull-event.js";
import { rejection } from "../../support/refusal.js";
import { ScriptedPull, STORED, storedModel } from "../../support/scripted-library.js";

const SHA256 = "a".repeat(64);
const weights = {
  path: "ollama/blobs/sha256-a",
  role: "model",
  sizeBytes: 100,
  sha256: SHA256,
} as const;
const readme = {
  path: "hf/user/repo/LICENSE",
  role: "text",
  sizeBytes: undefined,
  sha256: undefined,
} as const;
const resolving: PullEvent = { type: "resolving", name: "mini" };
const resolved: PullEvent = { type: "resolved", name: "mini", files: [weights] };
const progress = (completedBytes: number): PullEvent => ({
  type: "progress",
  path: weights.path,
  completedBytes,
  totalBytes: 100,
});
const line = (completed: number) => ({
  status: "pulling aaaaaaaaaaaa",
  digest: `sha256:${SHA256}`,
  total: 100,
  completed,
});
const BEGIN = { status: "pulling manifest" };
const END = [
  { status: "verifying sha256 digest" },
  { status: "writing manifest" },
  { status: "success" },
];

/** Starts a scripted pull and returns it with its lines and the functions that end both. */
function begin() {
  const controller = new AbortController();
  const { signal } = controller;
  const script: { pull?: ScriptedPull } = {};
  const lines = toPullLines(({ onEvent }) => {
    script.pull = new ScriptedPull("mini", onEvent);
    signal.addEventListener("abort", () => script.pull?.fail(signal.reason));
    return script.pull.ended;
  }, signal);
  const first = lines.next();
  const pull = script.pull;
  if (pull === undefined) throw new Error("no pull has begun");
  return { pull, lines, first, controller };
}

async function rest(lines: AsyncIterable<ProgressLine>): Promise<ProgressLine[]> {
  const all: ProgressLine[] = [];
  for await (const one of lines) all.push(one);
  return all;
}

describe("progress lines of a pull", () => {
  it("report the progress of each file and the end", async () => {
    const { pull, lines, first } = begin();
    pull.emit(resolving);
    pull.emit(resolved);
    expect((await first).value).toEqual(BEGIN);
    expect((await lines.next()).value).toEqual(line(0));
    const next = lines.next();
    pull.emit(progress(40));
    expect((await next).value).toEqual(line(40));
    pull.emit({ type: "stored", path: weights.path, verifiedBy: "sha256" });
    pull.finish();
    expect(await rest(lines)).toEqual([line(100), ...END]);
  });

  it("are reduced to the latest per file for a slow reader", async () => {
    const { pull, lines, first } = begin();
    pull.emit({ ...resolved, files: [weights, { ...weights, path: "b", sha256: "b".repeat(64) }] });
    await first;
    for (let bytes = 1; bytes <= 99; bytes++) pull.emit(progress(bytes));
    pull.finish();
    const other = {
      ...line(0),
      status: "pulling bbbbbbbbbbbb",
      digest: `sha256:${"b".repeat(64)}`,
    };
    expect(await rest(lines)).toEqual([line(0), other, line(99), ...END]);
  });

  it("name a file that has no digest, and omit an unknown size", async () => {
    const { pull, lines, first } = begin();
    pull.emit({ ...resolved, files: [readme] });
    await first;
    pull.finish();
    expect(await rest(lines)).toEqual([{ status: "pulling LICENSE", completed: 0 }, ...END]);
  });

  it("report existing files, restarts and waits, without the server's reasons", async () => {
    const { pull, lines, first } = begin();
    pull.emit(resolved);
    await first;
    const told = async (event: PullEvent) => {
      pull.emit(event);
      return (await lines.next()).value;
    };
    const { path } = weights;
    expect((await lines.next()).value).toEqual(line(0));
    expect(await told({ type: "present", path })).toEqual(line(100));
    expect(await told({ type: "restarting", path, reason: "/secret" })).toEqual(line(0));
    const checking = { ...progress(7), type: "checking" } as PullEvent;
    expect(await told(checking)).toEqual(line(7));
    const retrying = { type: "retrying", path, reason: "/secret", delayMs: 1_500 } as const;
    expect(await told(retrying)).toEqual({ status: "trying again in 2 s" });
    expect(await told({ type: "waiting", path, reason: "/secret" })).toEqual({
      status: "waiting for another pull of the same file",
    });
  });

  it("are complete for a model that is already stored", async () => {
    const { pull, lines, first } = begin();
    pull.finish();
    expect([(await first).value, ...(await rest(lines))]).toEqual([BEGIN, ...END]);
  });

  it("are replaced by an error if the source does not have the model", async () => {
    const { pull, first } = begin();
    pull.emit(resolving);
    pull.fail(new GgufdError("model_not_found", "There is none."));
    expect((await rejection(first)).code).toBe("model_not_found");
  });

  it("end with an error that follows the preceding lines", async () => {
    const { pull, lines, first } = begin();
    pull.emit(resolved);
    await first;
    pull.fail(new GgufdError("storage_full", "It is full."));
    expect((await lines.next()).value).toEqual(line(0));
    expect((await rejection(lines.next())).code).toBe("storage_full");
  });

  it.each(["before the first line", "later"])("end when the signal aborts: %s", async (moment) => {
    const { pull, lines, first, controller } = begin();
    if (moment === "later") {
      pull.emit(resolved);
      await first;
      await lines.next();
    }
    controller.abort();
    expect(await rest(lines)).toEqual([]);
  });
});

describe("progress lines of a model creation", () => {
  it("name the layer that the new model shares with its base", async () => {
    expect(await rest(toCreateLines(Promise.resolve(storedModel("mine"))))).toEqual([
      { status: `using existing layer sha256:${STORED.sha256}` },
      { status: "writing manifest" },
      { status: "success" },
    ]);
  });

  it("are replaced by an error if the creation fails", async () => {
    const made = Promise.reject(new GgufdError("model_not_found", "There is none."));
    expect((await rejection(toCreateLines(made).next())).code).toBe("model_not_found");
  });
});
