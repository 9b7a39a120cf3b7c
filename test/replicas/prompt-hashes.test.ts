import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatMessage, GenerationRequest } from "../../src/core/generation-request.js";
import {
  BLOCK_CHARACTERS,
  BlockHashes,
  hashAnswer,
  hashPrompt,
} from "../../src/replicas/prompt-hashes.js";

type Prompt = GenerationRequest["prompt"];

const long = (text: string) => text.repeat(Math.ceil((3 * BLOCK_CHARACTERS) / text.length));

function chat(messages: readonly ChatMessage[], given: object = {}): Prompt {
  return { type: "chat", messages, tools: [], templateVariables: {}, ...given };
}

const system = { role: "system", content: long("Be brief. ") } as const;
const question = { role: "user", content: long("Why? ") } as const;
const answer = { role: "assistant", content: long("Because. ") } as const;

function hashesOf(prompt: Prompt, adapters?: GenerationRequest["adapters"]): readonly number[] {
  return hashPrompt({ prompt, ...(adapters && { adapters }) }).complete;
}

/** Number of blocks at the beginning that two prompts have in common. */
function countCommon(one: readonly number[], other: readonly number[]): number {
  const different = one.findIndex((hash, index) => hash !== other[index]);
  return different === -1 ? one.length : different;
}

describe("the hashes of a text", () => {
  it("are the same, however the text is divided", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 })), (texts) => {
        const [divided, whole] = [new BlockHashes(1), new BlockHashes(1)];
        for (const text of texts) divided.add(text);
        whole.add(texts.join(""));
        expect(divided.complete).toEqual(whole.complete);
        expect(divided.characters).toBe(texts.join("").length);
        expect(whole.complete).toHaveLength(Math.floor(whole.characters / BLOCK_CHARACTERS));
      }),
    );
  });

  it("differ from the first different block on", () => {
    const [one, other] = [new BlockHashes(1), new BlockHashes(1)];
    const common = "a".repeat(2 * BLOCK_CHARACTERS + 1);
    one.add(common + "b".repeat(BLOCK_CHARACTERS));
    other.add(common + "c".repeat(BLOCK_CHARACTERS));
    expect(countCommon(one.complete, other.complete)).toBe(2);
    expect(one.complete).toHaveLength(3);
  });
});

describe("the hashes of a prompt", () => {
  it("begin with those of an earlier turn and its answer", () => {
    const prompt = chat([system, question]);
    const first = hashPrompt({ prompt });
    const written = hashAnswer(prompt, first);
    written.add(answer.content);
    const known = [...first.complete, ...written.complete];
    const next = hashesOf(chat([system, question, answer, { role: "user", content: "And?" }]));
    expect(countCommon(known, next)).toBe(known.length);
    expect(written.complete.length).toBeGreaterThan(0);
  });

  it("begin with those of a text that the answer continues", () => {
    const text = long("Once upon a time. ");
    const prompt: Prompt = { type: "text", text };
    const first = hashPrompt({ prompt });
    const written = hashAnswer(prompt, first);
    written.add(text);
    expect(hashesOf({ type: "text", text: text + text })).toEqual([
      ...first.complete,
      ...written.complete,
    ]);
  });

  it("include the beginning of the message that the answer continues", () => {
    const begun = chat([question, answer]);
    const first = hashPrompt({ prompt: begun });
    const written = hashAnswer(begun, first);
    written.add(long("More. "));
    const whole = chat([question, { ...answer, content: answer.content + long("More. ") }]);
    expect(hashesOf(whole)).toEqual([...first.complete, ...written.complete]);
  });

  it("ignore the reasoning of earlier answers", () => {
    const reasoned = { ...answer, reasoning: long("Hm. ") };
    expect(hashesOf(chat([question, reasoned]))).toEqual(hashesOf(chat([question, answer])));
  });

  const call = { id: "1", name: "search", arguments: long("{}") };
  const image = (hash: string) => ({
    type: "media" as const,
    field: "messages",
    content: { type: "file" as const, bytes: new Uint8Array(), hash: long(hash) },
  });
  it.each<[string, Prompt, Prompt]>([
    ["roles", chat([question]), chat([{ ...question, role: "system" }])],
    ["tools", chat([question]), chat([question], { tools: [{ name: "search" }] })],
    [
      "template variables",
      chat([question]),
      chat([question], { templateVariables: { enable_thinking: false } }),
    ],
    ["tool calls", chat([question, answer]), chat([question, { ...answer, toolCalls: [call] }])],
    [
      "images",
      chat([{ role: "user", content: [image("a")] }]),
      chat([{ role: "user", content: [image("b")] }]),
    ],
    [
      "tokens",
      { type: "tokens", tokens: Array.from({ length: 200 }, () => 1) },
      { type: "tokens", tokens: Array.from({ length: 200 }, () => 0x10001) },
    ],
    ["parts", { type: "mixed", parts: [1, long("a")] }, { type: "mixed", parts: [2, long("a")] }],
    [
      "gaps",
      { type: "infill", prefix: long("a"), suffix: "b", suffixField: "suffix" },
      { type: "infill", prefix: long("a"), suffix: long("c"), suffixField: "suffix" },
    ],
  ])("differ between prompts with different %s", (_, one, other) => {
    expect(hashesOf(one)).not.toEqual(hashesOf(other));
    expect(hashesOf(one)).toEqual(hashesOf(structuredClone(one)));
  });

  it("differ from the beginning between adapters", () => {
    const prompt = chat([question]);
    const adapted = hashesOf(prompt, [{ name: "poet", scale: 1 }]);
    expect(countCommon(adapted, hashesOf(prompt))).toBe(0);
  });
});
