import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { AcceptedMedia } from "../../src/engine/media/media-decoder.js";
import {
  DecoderProcess,
  type FromDecoder,
  type ToDecoder,
} from "../../src/process/decoder-process.js";
import type { ChannelListener } from "../../src/process/process-channel.js";
import { readShared, writeShared } from "../../src/process/shared-memory.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const ACCEPTED: AcceptedMedia = {
  images: { maxPixels: 4 },
  audio: { sampleRate: 2, maxSeconds: 2 },
};
const FILE = Buffer.from("a file");
const wanted = new AbortController().signal;

/** Rejection reason of a promise. */
const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail("expected a rejection"),
    (error: Error) => error,
  );

/** Decoder whose process is simulated by the test. */
function decoderWith() {
  const requests: ToDecoder[] = [];
  let listener: ChannelListener<FromDecoder> | undefined;
  let memory = 0;
  const kill = vi.fn(() => listener?.onEnd("SIGKILL"));
  let onAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const decoder = new DecoderProcess((opened, descriptor) => {
    [listener, memory] = [opened, descriptor];
    return {
      send: (request) => {
        requests.push(request);
        onAsked();
      },
      kill,
      showOutput: () => undefined,
    };
  });
  onTestFinished(() => decoder.kill());
  return {
    decoder,
    requests,
    kill,
    asked,
    memory,
    report: (report: FromDecoder) => listener?.onMessage(report),
    end: (reason: string) => listener?.onEnd(reason),
    decode: (signal = wanted) => decoder.decode(FILE, ACCEPTED, 2, signal),
  };
}

describe("a decoder process", () => {
  test("receives the file in shared memory, and returns the image there", async () => {
    const { decode, requests, asked, memory, report } = decoderWith();
    const decoded = decode();
    await asked;
    expect(requests).toEqual([
      { type: "decode", sizeBytes: FILE.length, accepted: ACCEPTED, cpuSeconds: 2 },
    ]);
    expect(Buffer.from(await readShared(memory, FILE.length))).toEqual(FILE);
    const pixels = Uint8Array.of(1, 2, 3, 4, 5, 6);
    await writeShared(memory, pixels);
    report({ type: "image", width: 2, height: 1 });
    expect(await decoded).toEqual({ kind: "image", width: 2, height: 1, pixels });
    await expect(readShared(memory, 1)).rejects.toThrow("expected 1 bytes of shared memory, got 0");
  });

  test("returns audio in shared memory", async () => {
    const { decode, asked, memory, report } = decoderWith();
    const decoded = decode();
    await asked;
    const samples = Float32Array.of(0.5, -0.5);
    await writeShared(memory, new Uint8Array(samples.buffer));
    report({ type: "audio", samples: 2 });
    expect(await decoded).toEqual({ kind: "audio", samples });
  });

  test("reports why it rejects a file, and decodes the next one", async () => {
    const { decoder, decode, asked, report } = decoderWith();
    const refused = failureOf(decode());
    await asked;
    report({ type: "refused", reason: "expected an image, got a text" });
    expect(await refused).toMatchObject({ message: "expected an image, got a text" });
    expect(decoder.isRunning).toBe(true);
  });

  test.each<readonly [string, FromDecoder]>([
    ["more pixels than allowed", { type: "image", width: 5, height: 1 }],
    ["no pixels", { type: "image", width: 0, height: 4 }],
    ["a negative size", { type: "image", width: -2, height: -1 }],
    ["more samples than allowed", { type: "audio", samples: 5 }],
    ["no samples", { type: "audio", samples: 0 }],
    ["more samples than the shared memory", { type: "audio", samples: 4 }],
  ])("is killed if it reports %s", async (_, told) => {
    const { decode, asked, report } = decoderWith();
    const refused = failureOf(decode());
    await asked;
    report(told);
    expect(await refused).toBeInstanceOf(Error);
  });
});

describe("a decoder process that exits", () => {
  test.each([
    ["SIGSEGV", "expected a decodable file, got one that crashed the decoder process (SIGSEGV)"],
    [
      "SIGTRAP, possibly out of memory",
      "expected a decodable file, got one that crashed the decoder process (SIGTRAP, possibly out of memory)",
    ],
    [
      "SIGXCPU",
      "expected a file that decodes within 2 s of computing time, got one that takes longer",
    ],
  ])("because of %s fails only the current file", async (signal, message) => {
    const { decoder, decode, asked, end } = decoderWith();
    const refused = failureOf(decode());
    await asked;
    end(signal);
    expect(await refused).toMatchObject({ message });
    expect(decoder.isRunning).toBe(false);
  });

  test("before its first request fails that file as well", async () => {
    const { decode, end, requests } = decoderWith();
    const refused = failureOf(decode());
    end("exit code 1");
    expect(await refused).toMatchObject({ message: expect.stringContaining("exit code 1") });
    expect(requests).toEqual([]);
  });
});

describe("a decoder process is killed", () => {
  test("when it exceeds six times its CPU time limit", async () => {
    const { decode, asked, kill } = decoderWith();
    const refused = failureOf(decode());
    await asked;
    await vi.advanceTimersByTimeAsync(11_999);
    expect(kill).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(kill).toHaveBeenCalledTimes(1);
    expect((await refused).message).toContain("decodes within 2 s of computing time");
  });

  test("when its request is aborted", async () => {
    const { decode, asked, kill } = decoderWith();
    const client = new AbortController();
    const refused = failureOf(decode(client.signal));
    await asked;
    client.abort(new Error("hung up"));
    expect(await refused).toMatchObject({ message: "hung up" });
    expect(kill).toHaveBeenCalledTimes(1);
  });

  test("unless the file was decoded before its request was aborted", async () => {
    const { decode, asked, report, kill, memory } = decoderWith();
    const client = new AbortController();
    const decoded = decode(client.signal);
    await asked;
    await writeShared(memory, new Uint8Array(3));
    report({ type: "image", width: 1, height: 1 });
    await decoded;
    client.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kill).not.toHaveBeenCalled();
  });
});
