import { expect, test } from "vitest";
import { computeMediaBytes } from "../../src/serve/request-media.js";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

test.each([
  ["a quarter of the machine's memory", undefined, 8 * GIB, 2 * GIB],
  ["a quarter of a small container's memory", undefined, 512 * MIB, 128 * MIB],
  ["at most 4 GiB on a large machine", undefined, 256 * GIB, 4 * GIB],
  ["the configured size", 100, 8 * GIB, 100 * MIB],
  ["the configured size, even on a small machine", 4096, GIB, 4 * GIB],
])("the memory limit for media in requests is %s", (_, mediaRam, totalBytes, bytes) => {
  expect(computeMediaBytes(mediaRam, totalBytes)).toBe(bytes);
});
