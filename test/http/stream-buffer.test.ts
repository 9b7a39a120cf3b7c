import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamBuffer } from "../../src/http/stream-buffer.js";

const BLOCK_BYTES = 16 * 1024;

const unread = new AbortController().signal;

async function readFrom(buffer: StreamBuffer, from: number): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of buffer.read(from, unread)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe("a stream buffer", () => {
  it("returns its bytes from any offset, whatever the sizes of its texts", async () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.constant("ä".repeat(20_000))), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(100_000), async (parts, offset) => {
        const buffer = new StreamBuffer(2 ** 20);
        for (const part of parts) buffer.append(part);
        buffer.close();
        const whole = Buffer.from(parts.join(""));
        expect(buffer.length).toBe(whole.length);
        expect(await readFrom(buffer, offset)).toBe(whole.subarray(offset).toString());
      }),
      { numRuns: 50 },
    );
  });

  it("sends later text to waiting readers, and ends them when it is closed", async () => {
    const buffer = new StreamBuffer(2 ** 20);
    const readings = [readFrom(buffer, 0), readFrom(buffer, 2)];
    buffer.append("one");
    await Promise.resolve();
    buffer.append(" two");
    buffer.close();
    buffer.append(" three");
    expect(await Promise.all(readings)).toEqual(["one two", "e two"]);
  });

  it("stops a reading whose client has disconnected", async () => {
    const buffer = new StreamBuffer(2 ** 20);
    const gone = new AbortController();
    const reading = buffer.read(0, gone.signal).next();
    gone.abort();
    expect(await reading).toEqual({ done: true, value: undefined });
  });

  it("drops its oldest blocks beyond its limit, and refuses offsets in them", async () => {
    const buffer = new StreamBuffer(2 * BLOCK_BYTES);
    buffer.append("a".repeat(BLOCK_BYTES));
    const reading = buffer.read(0, unread);
    expect((await reading.next()).value).toHaveLength(BLOCK_BYTES);
    buffer.append(`${"b".repeat(2 * BLOCK_BYTES)}c`);
    buffer.close();
    expect(buffer.memoryBytes).toBe(2 * BLOCK_BYTES);
    expect(buffer.droppedBytes).toBe(2 * BLOCK_BYTES);
    expect(() => buffer.expectOffset(BLOCK_BYTES)).toThrow(
      "from: expected an offset of at least 32768, because earlier bytes are stored no more, got 16384.",
    );
    expect(await readFrom(buffer, 2 * BLOCK_BYTES)).toBe(`${"b".repeat(BLOCK_BYTES)}c`);
    await expect(reading.next()).rejects.toThrow("got 16384");
  });
});
