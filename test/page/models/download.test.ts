import { describe, expect, it, test } from "vitest";
import {
  beginDownload,
  computeShare,
  computeSpeed,
  estimateRemainingSeconds,
  updateDownload,
} from "../../../src/page/models/download.js";

const file = (done: number, total: number) => ({ "m.gguf": { done, total } });

function download(...readings: readonly (readonly [atMs: number, done: number])[]) {
  return readings.reduce(
    (before, [atMs, done]) => updateDownload(before, file(done, 1000), atMs),
    beginDownload("m"),
  );
}

describe("the progress of a download", () => {
  test.each([
    [{}, undefined],
    [file(0, 0), undefined],
    [file(250, 1000), 0.25],
    [file(1001, 1000), 1],
    [{ a: { done: 100, total: 100 }, b: { done: 0, total: 300 } }, 0.25],
    [{ a: { done: 100, total: 100 }, b: { done: 0, total: 0 } }, undefined],
  ])("for %o is %s", (files, share) => {
    expect(computeShare(updateDownload(beginDownload("m"), files, 0))).toBe(share);
  });
});

describe("the download speed", () => {
  it("is averaged over the last ten seconds", () => {
    expect(computeSpeed(download([0, 0], [5000, 500]))).toBe(100);
    expect(computeSpeed(download([0, 500], [9000, 500], [19_000, 700]))).toBe(20);
  });

  it("is unknown until there is enough data", () => {
    expect(computeSpeed(download([0, 0]))).toBeUndefined();
    expect(computeSpeed(download([0, 0], [400, 500]))).toBeUndefined();
  });

  it("is not negative when a download restarts", () => {
    expect(computeSpeed(download([0, 500], [1000, 0]))).toBe(0);
  });

  it("determines the remaining time, unless the download stalls", () => {
    expect(estimateRemainingSeconds(download([0, 0], [1000, 200]))).toBe(4);
    expect(estimateRemainingSeconds(download([0, 200], [1000, 200]))).toBeUndefined();
  });
});
