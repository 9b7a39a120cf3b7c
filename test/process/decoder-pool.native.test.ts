import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DecodedMedia } from "../../src/engine/media/media-decoder.js";
import { DecoderPool } from "../../src/process/decoder-pool.js";
import type { DecoderProcess } from "../../src/process/decoder-process.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const IMAGE: DecodedMedia = { kind: "image", width: 1, height: 1, pixels: new Uint8Array(3) };

/** Rejection reason of a promise. */
const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail("expected a rejection"),
    (error: Error) => error,
  );

/** Decoder process controlled by the test. */
class ManualDecoder {
  isRunning = true;
  readonly files: string[] = [];
  finish: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;
  readonly kill = vi.fn(() => {
    this.isRunning = false;
  });

  decode(file: Uint8Array, _accepted: object, _seconds: number, signal: AbortSignal) {
    this.files.push(Buffer.from(file).toString());
    return new Promise<DecodedMedia>((resolve, reject) => {
      this.finish = () => resolve(IMAGE);
      this.fail = (error) => {
        this.isRunning = false;
        reject(error);
      };
      signal.addEventListener("abort", () => this.fail(signal.reason));
    });
  }
}

function poolOf() {
  const decoders: ManualDecoder[] = [];
  const pool = new DecoderPool(() => {
    const decoder = new ManualDecoder();
    decoders.push(decoder);
    return decoder as unknown as DecoderProcess;
  });
  const decode = (file: string, signal = new AbortController().signal) =>
    pool.decode(Buffer.from(file), {}, 5, signal);
  const files = () => decoders.map((one) => one.files);
  return { pool, decoders, decode, files };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe("a pool of decoders", () => {
  test("starts a process for the first file, and reuses it for the next one", async () => {
    const { decoders, decode, files } = poolOf();
    expect(decoders).toEqual([]);
    for (const file of ["a", "b"]) {
      const decoded = decode(file);
      await settled();
      decoders[0]?.finish();
      expect(await decoded).toBe(IMAGE);
    }
    expect(files()).toEqual([["a", "b"]]);
  });

  test("decodes two files concurrently, and queues the others", async () => {
    const { decoders, decode, files } = poolOf();
    const decoded = ["a", "b", "c"].map((file) => decode(file));
    await settled();
    expect(files()).toEqual([["a"], ["b"]]);
    decoders[1]?.finish();
    await decoded[1];
    await settled();
    expect(files()).toEqual([["a"], ["b", "c"]]);
  });

  test("replaces a process that crashed on a file", async () => {
    const { decoders, decode, files } = poolOf();
    const refused = failureOf(decode("a"));
    await settled();
    decoders[0]?.fail(new Error("SIGSEGV"));
    expect(await refused).toMatchObject({ message: "SIGSEGV" });
    void decode("b");
    await settled();
    expect(files()).toEqual([["a"], ["b"]]);
  });

  test("does not start to decode a queued file that was aborted", async () => {
    const { decoders, decode, files } = poolOf();
    const decoded = [decode("a"), decode("b")];
    const client = new AbortController();
    const refused = failureOf(decode("c", client.signal));
    await settled();
    client.abort(new Error("hung up"));
    await refused;
    for (const decoder of decoders) decoder.finish();
    await Promise.all(decoded);
    expect(files()).toEqual([["a"], ["b"]]);
  });

  test("ends a process that has been idle for a minute", async () => {
    const { decoders, decode } = poolOf();
    const decoded = decode("a");
    await settled();
    decoders[0]?.finish();
    await decoded;
    await vi.advanceTimersByTimeAsync(59_999);
    expect(decoders[0]?.kill).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(decoders[0]?.kill).toHaveBeenCalledTimes(1);
  });

  test("ends all processes when it is closed, and rejects later files", async () => {
    const { pool, decoders, decode, files } = poolOf();
    const first = decode("a");
    await settled();
    decoders[0]?.finish();
    await first;
    const refused = failureOf(decode("b"));
    const second = failureOf(decode("c"));
    await settled();
    pool.close();
    for (const error of [refused, second]) {
      expect(await error).toMatchObject({ message: "the model is being unloaded" });
    }
    expect(decoders.every(({ isRunning }) => !isRunning)).toBe(true);
    expect(await failureOf(decode("d"))).toBeInstanceOf(Error);
    expect(files()).toEqual([["a", "b"], ["c"]]);
  });
});
