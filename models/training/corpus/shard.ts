import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Encoder } from "../tokenizer/encode.js";
import type { Conversation } from "./conversation.js";
import { render } from "./render.js";

/** What `.learn` says of a token: the model reads it, writes it, or decides by it what follows. */
const learning = { read: 0, written: 1, decisive: 2 } as const;

/** Where a JSON text goes on with a name, a key or a value. */
const choices = /(?<=[{ ]")(?=[\p{L}\p{N}])|(?<=":)(?= \p{L})|(?<=": )(?=\p{N})/gu;

/** The bytes of a text at which it is decided what follows. */
function decisivePlaces(text: string): ReadonlySet<number> {
  const begins = Array.from(text.matchAll(choices), ({ index }) => index);
  return new Set([0, ...begins.map((index) => Buffer.byteLength(text.slice(0, index)))]);
}

/**
 * Token-ready conversations, written as three flat arrays: `.tokens` (uint16), `.learn` (uint8,
 * 1 where the model is to write, 2 where an answer, a name, a key or a value begins: the tokens
 * that tell which of the words before is meant) and `.docs` (uint32 pairs: start, skill).
 */
export class Shard {
  private readonly tokens: number[] = [];
  private readonly learn: number[] = [];
  private readonly docs: number[] = [];

  private readonly encoder: Encoder;

  constructor(encoder: Encoder) {
    this.encoder = encoder;
  }

  /** Tokens held so far. */
  get length(): number {
    return this.tokens.length;
  }

  /** Append one conversation; those longer than `limit` tokens are left out. */
  add(conversation: Conversation, skill: number, limit = 1024): void {
    const start = this.tokens.length;
    for (const { text, learn } of render(conversation)) {
      if (learn) this.addWritten(text);
      else this.addRead(text);
    }
    if (this.tokens.length - start > limit) {
      this.tokens.length = start;
      this.learn.length = start;
    } else {
      this.docs.push(start, skill);
    }
  }

  private addRead(text: string): void {
    for (const id of this.encoder.encode(text)) this.addToken(id, learning.read);
  }

  private addWritten(text: string): void {
    const decisive = decisivePlaces(text);
    let place = 0;
    for (const id of this.encoder.encode(text)) {
      this.addToken(id, decisive.has(place) ? learning.decisive : learning.written);
      place += this.encoder.bytesOf(id);
    }
  }

  private addToken(id: number, learn: number): void {
    this.tokens.push(id);
    this.learn.push(learn);
  }

  /** Write the arrays as `<folder>/<name>.{tokens,learn,docs}`. */
  write(folder: string, name: string): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.tokens`), Uint16Array.from(this.tokens));
    writeFileSync(join(folder, `${name}.docs`), Uint32Array.from(this.docs));
    writeFileSync(join(folder, `${name}.learn`), Uint8Array.from(this.learn));
  }
}
