/**
 * Entry point of a process that decodes images and audio, and may crash or be killed. It receives
 * each file in the shared memory and returns the decoded content there.
 */
import { readFileSync } from "node:fs";
import { formatReason } from "../core/format-reason.js";
import { decodeFile } from "../engine/media/decode-file.js";
import { loadDecoder } from "../engine/native/companion/native-decoder.js";
import type { FromDecoder, ToDecoder } from "./decoder-process.js";
import { SHARED_DESCRIPTOR } from "./process-channel.js";
import { setUpChild } from "./set-up-child.js";
import { readShared, writeShared } from "./shared-memory.js";

const send: (report: FromDecoder) => void = setUpChild("ggufd media");
const decoder = loadDecoder();

/**
 * Memory per pixel in addition to the resulting pixels: the content of a PNG of 16 bits, and its
 * unconverted form.
 */
const WORK_BYTES_PER_PIXEL = 24;
const WORK_BYTES_PER_SAMPLE = 16;
/** Memory that does not grow with the content, such as the tables of a format. */
const BASE_WORK_MIB = 128;
const MIB_BYTES = 2 ** 20;

process.on("message", async ({ sizeBytes, accepted, cpuSeconds }: ToDecoder) => {
  try {
    limitMemory(accepted);
    decoder.limitCpu(cpuSeconds);
    const file = await readShared(SHARED_DESCRIPTOR, sizeBytes);
    const decoded = await decodeFile(decoder, file, accepted);
    if (decoded.kind === "audio") {
      const { buffer, byteOffset, byteLength } = decoded.samples;
      await writeShared(SHARED_DESCRIPTOR, Buffer.from(buffer, byteOffset, byteLength));
      send({ type: "audio", samples: decoded.samples.length });
    } else {
      await writeShared(SHARED_DESCRIPTOR, decoded.pixels);
      send({ type: "image", width: decoded.width, height: decoded.height });
    }
  } catch (error) {
    send({ type: "refused", reason: formatReason(error) });
  }
});

function limitMemory({ images, audio }: ToDecoder["accepted"]): void {
  if (process.platform !== "linux") return;
  const [, usedKiB = "0"] =
    /^VmData:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
  const workBytes = Math.max(
    WORK_BYTES_PER_PIXEL * (images?.maxPixels ?? 0),
    WORK_BYTES_PER_SAMPLE * (audio === undefined ? 0 : audio.sampleRate * audio.maxSeconds),
  );
  decoder.limitMemory(Math.ceil(Number(usedKiB) / 1024 + workBytes / MIB_BYTES) + BASE_WORK_MIB);
}
