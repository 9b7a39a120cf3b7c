import assert from "node:assert/strict";
import { createRefusal } from "../core/errors.js";

/** Memory is allocated, and dropped, in blocks of this size. */
const BLOCK_BYTES = 16 * 1024;

/**
 * Text of a stream, in UTF-8, for any number of readers, each of which begins at an offset of its
 * choice. A buffer beyond its limit drops its oldest text.
 */
export class StreamBuffer {
  readonly #maxBlocks: number;
  /** All blocks but the last are full. */
  readonly #blocks: Buffer[] = [];
  readonly #waiting = new Set<() => void>();
  #length = 0;
  #droppedBytes = 0;
  #state: "open" | "closed" = "open";

  /** @param maxBytes memory of the buffer */
  constructor(maxBytes: number) {
    assert(maxBytes >= BLOCK_BYTES, `expected at least ${BLOCK_BYTES} bytes, got ${maxBytes}`);
    this.#maxBlocks = Math.floor(maxBytes / BLOCK_BYTES);
  }

  /** Bytes that were ever appended. */
  get length(): number {
    return this.#length;
  }

  /** Offset of the first byte that is still in the buffer. */
  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  /** Memory in use, in bytes. */
  get memoryBytes(): number {
    return this.#blocks.length * BLOCK_BYTES;
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Appends text; a closed buffer ignores it. */
  append(text: string): void {
    if (this.isClosed) return;
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; ) {
      const at = (this.#length - this.#droppedBytes) % BLOCK_BYTES;
      if (at === 0) this.#addBlock();
      const block = this.#blocks.at(-1);
      assert(block !== undefined, "a block has been added");
      const copied = bytes.copy(block, at, start);
      start += copied;
      this.#length += copied;
    }
    this.#wake();
  }

  /** Drops the oldest block, unless it is the only one. @returns whether memory was freed */
  dropOldest(): boolean {
    if (this.#blocks.length < 2) return false;
    this.#blocks.shift();
    this.#droppedBytes += BLOCK_BYTES;
    return true;
  }

  /** Ends the text, and with it the readings. */
  close(): void {
    this.#state = "closed";
    this.#wake();
  }

  /** @throws {GgufdError} `invalid_request` for an offset whose text was dropped */
  expectOffset(from: number): void {
    if (from >= this.#droppedBytes) return;
    const reason = `expected an offset of at least ${this.#droppedBytes}, because earlier bytes are stored no more, got ${from}`;
    throw createRefusal("invalid_request", [{ field: "from", reason }]);
  }

  /**
   * Yields the text until the buffer is closed, waiting for later text.
   * @param from offset of the first byte
   * @param signal stops the reading
   * @throws {GgufdError} `invalid_request` if text was dropped before it was read
   */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake, { once: true });
    try {
      for (let offset = from; !signal.aborted; ) {
        this.expectOffset(offset);
        if (offset < this.#length) {
          const bytes = this.#bytesAt(offset);
          offset += bytes.length;
          yield bytes;
        } else if (this.isClosed) return;
        else await this.#change();
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  /** Returns the bytes from an offset to the end of their block, or of the text. */
  #bytesAt(offset: number): Buffer {
    const at = offset - this.#droppedBytes;
    const index = Math.floor(at / BLOCK_BYTES);
    const start = at - index * BLOCK_BYTES;
    const end = Math.min(BLOCK_BYTES, start + this.#length - offset);
    const block = this.#blocks[index];
    assert(block !== undefined, "an offset below the length is in a block");
    return block.subarray(start, end);
  }

  #addBlock(): void {
    if (this.#blocks.length === this.#maxBlocks) {
      this.#blocks.shift();
      this.#droppedBytes += BLOCK_BYTES;
    }
    this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
