import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Encoder } from "../tokenizer/encode.js";
import type { Conversation } from "./conversation.js";
import { render } from "./render.js";

/**
 * Token-ready conversations, written as three flat arrays: `.tokens` (uint16), `.learn` (uint8,
 * 1 where the model is to write) and `.docs` (uint32 pairs: start, skill).
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
      for (const id of this.encoder.encode(text)) {
        this.tokens.push(id);
        this.learn.push(learn ? 1 : 0);
      }
    }
    if (this.tokens.length - start > limit) {
      this.tokens.length = start;
      this.learn.length = start;
    } else {
      this.docs.push(start, skill);
    }
  }

  /** Write the arrays as `<folder>/<name>.{tokens,learn,docs}`. */
  write(folder: string, name: string): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.tokens`), Uint16Array.from(this.tokens));
    writeFileSync(join(folder, `${name}.docs`), Uint32Array.from(this.docs));
    writeFileSync(join(folder, `${name}.learn`), Uint8Array.from(this.learn));
  }
}
