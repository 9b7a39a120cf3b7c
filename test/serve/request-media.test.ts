import { expect, test } from "vitest";
import { computeMediaBytes } from "../../src/serve/request-media.js";

const MIB = 2 ** 20;
const GIB = 2 ** 30;

test.each([
  ["a quarter of the machine's", undefined, 8 * GIB, 2 * GIB],
  ["a quarter of a small container's", undefined, 512 * MIB, 128 * MIB],
  ["4 GiB of a large machine's", undefined, 256 * GIB, 4 * GIB],
  ["what the operator says", 100, 8 * GIB, 100 * MIB],
  ["what the operator says, also of a small machine", 4096, GIB, 4 * GIB],
])("memory for media is %s", (_, mediaRam, totalBytes, bytes) => {
  expect(computeMediaBytes(mediaRam, totalBytes)).toBe(bytes);
});
