import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  buildCalibrationKey,
  findCalibrationFile,
  readCalibration,
  writeCalibration,
} from "../../../src/engine/threads/choose-threads.js";

describe("a cached calibration", () => {
  function file(): string {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return findCalibrationFile({ XDG_CACHE_HOME: folder });
  }

  test("is found by model, cores and build", () => {
    const path = file();
    const scope = {
      cores: 4,
      build: "prebuilt",
      modelFingerprint: "a",
      device: "CPU",
      gpuWeightBytes: 0,
    } as const;
    const [a, b] = [
      buildCalibrationKey(scope),
      buildCalibrationKey({ ...scope, modelFingerprint: "b" }),
    ];
    const [few, many] = [
      { decode: 2, prefill: 2 },
      { decode: 3, prefill: 8 },
    ];
    writeCalibration(path, a, many);
    writeCalibration(path, b, few);
    expect([readCalibration(path, a), readCalibration(path, b)]).toEqual([many, few]);
    expect(readCalibration(path, buildCalibrationKey({ ...scope, cores: 8 }))).toBeUndefined();
    expect(
      readCalibration(path, buildCalibrationKey({ ...scope, build: "local" })),
    ).toBeUndefined();
    expect(
      readCalibration(path, buildCalibrationKey({ ...scope, gpuWeightBytes: 12 })),
    ).toBeUndefined();
    const otherDevice = { ...scope, device: "CUDA (NVIDIA A10)" };
    expect(readCalibration(path, buildCalibrationKey(otherDevice))).toBeUndefined();
  });

  test.each([
    ...["", "not JSON", "[1]", "null", '{"x":2}', '{"x":{"decode":2}}'],
    '{"x":{"decode":0,"prefill":1}}',
    '{"x":{"decode":1.5,"prefill":"2"}}',
  ])("is ignored and replaced if the file contains %j", (content) => {
    const path = file();
    writeCalibration(path, "x", { decode: 2, prefill: 2 });
    writeFileSync(path, content);
    expect(readCalibration(path, "x")).toBeUndefined();
    writeCalibration(path, "x", { decode: 4, prefill: 6 });
    expect(readCalibration(path, "x")).toEqual({ decode: 4, prefill: 6 });
  });

  test("is not required to be writable", () => {
    expect(() =>
      writeCalibration("/dev/null/threads.json", "x", { decode: 2, prefill: 2 }),
    ).not.toThrow();
  });
});
