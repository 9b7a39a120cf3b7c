import type { ChatPrompt, GenerationRequest } from "../core/generation-request.js";
import { EMPTY_HASH, hashText } from "../core/hash-text.js";
import { type ContentPart, type MediaPart, partsOf } from "../core/media.js";

/** Characters of a block: some 32 tokens of English text. */
export const BLOCK_CHARACTERS = 128;

/**
 * Hashes of a growing text, one for each complete block. Each covers the text from its beginning to
 * the end of the block, so that two texts with an equal hash begin alike.
 */
export class BlockHashes {
  readonly #hashes: number[] = [];
  #hash: number;
  #characters: number;

  /** @param hash hash of everything that precedes the text */
  constructor(hash: number, characters = 0) {
    this.#hash = hash;
    this.#characters = characters;
  }

  add(text: string): void {
    let start = 0;
    while (start < text.length) {
      const left = BLOCK_CHARACTERS - (this.#characters % BLOCK_CHARACTERS);
      const end = Math.min(text.length, start + left);
      this.#hash = hashText(text, this.#hash, start, end);
      this.#characters += end - start;
      if (end - start === left) this.#hashes.push(this.#hash);
      start = end;
    }
  }

  /** Hashes of the complete blocks, in order. */
  get complete(): readonly number[] {
    return this.#hashes;
  }

  /** Length of the text. */
  get characters(): number {
    return this.#characters;
  }

  /** Returns hashes for a text that continues this one, without the blocks of this one. */
  continue(): BlockHashes {
    return new BlockHashes(this.#hash, this.#characters);
  }
}

type HashedRequest = Pick<GenerationRequest, "prompt" | "adapters">;

/**
 * Hashes the content that a request's prompt is rendered from, in the order of the rendered prompt.
 * Adapters and template variables precede everything, because cached tokens are only reused with
 * the same ones. The reasoning of earlier answers is ignored: most templates leave it out.
 */
export function hashPrompt({ prompt, adapters }: HashedRequest): BlockHashes {
  const variables = prompt.type === "chat" ? prompt.templateVariables : {};
  const hashes = new BlockHashes(hashText(JSON.stringify([adapters, variables]), EMPTY_HASH));
  for (const text of textsOf(prompt)) hashes.add(text);
  return hashes;
}

/** Returns the hashes of an answer to a request, for a later request that continues with it. */
export function hashAnswer(prompt: GenerationRequest["prompt"], hashes: BlockHashes): BlockHashes {
  const answer = hashes.continue();
  if (prompt.type === "chat" && !continuesFinalMessage(prompt))
    answer.add(beginMessage("assistant"));
  return answer;
}

function* textsOf(prompt: GenerationRequest["prompt"]): Generator<string> {
  switch (prompt.type) {
    case "chat":
      yield* textsOfChat(prompt);
      return;
    case "text":
      yield prompt.text;
      return;
    case "tokens":
      yield* textsOfTokens(prompt.tokens);
      return;
    case "mixed":
      for (const part of prompt.parts) {
        if (typeof part === "string") yield part;
        else yield* textsOfTokens([part]);
      }
      return;
    case "media":
      yield* textsOfParts(prompt.parts);
      return;
    case "infill":
      for (const { name, text } of prompt.files ?? []) yield `${name}\n${text}`;
      yield prompt.prefix;
      yield prompt.suffix;
  }
}

function* textsOfChat({ messages, tools }: ChatPrompt): Generator<string> {
  for (const tool of tools) yield JSON.stringify(tool);
  for (const message of messages) {
    yield beginMessage(message.role);
    yield* textsOfParts(partsOf(message.content));
    if (message.role === "assistant" && message.toolCalls !== undefined) {
      yield JSON.stringify(message.toolCalls);
    }
  }
}

function* textsOfParts(parts: readonly ContentPart[]): Generator<string> {
  for (const part of parts) yield part.type === "text" ? part.text : identifyMedia(part);
}

function identifyMedia({ content }: MediaPart): string {
  switch (content.type) {
    case "file":
      return content.hash;
    case "url":
      return content.url;
    case "base64":
      return content.text;
    case "divided":
      return JSON.stringify(content.segments);
  }
}

/** Tokens that are converted to a text at once: the maximum number of arguments is limited. */
const TOKENS_AT_ONCE = 4096;

/** Two code units per token. */
function* textsOfTokens(tokens: readonly number[]): Generator<string> {
  for (let start = 0; start < tokens.length; start += TOKENS_AT_ONCE) {
    const part = tokens.slice(start, start + TOKENS_AT_ONCE);
    yield String.fromCharCode(...part.flatMap((token) => [token & 0xffff, token >>> 16]));
  }
}

function beginMessage(role: string): string {
  return `\0${role}\0`;
}

function continuesFinalMessage({ messages, finalMessage }: ChatPrompt): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || finalMessage === "closed") return false;
  return (last.toolCalls ?? []).length === 0;
}
