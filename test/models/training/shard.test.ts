import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Random } from "../../../models/random/random-choices.js";
import type { Conversation } from "../../../models/training/corpus/conversation.js";
import { drawConversation } from "../../../models/training/corpus/mixture.js";
import { render } from "../../../models/training/corpus/render.js";
import { Shard } from "../../../models/training/corpus/shard.js";
import { Lexicon } from "../../../models/training/corpus/words/lexicon.js";
import { Encoder } from "../../../models/training/tokenizer/encode.js";
import { learnMerges } from "../../../models/training/tokenizer/learn.js";
import { vocabularyFrom } from "../../../models/training/tokenizer/vocabulary.js";
import { temporaryFolder } from "../temporary-folder.js";

const random = new Random(21);
const words = new Lexicon("train");
const conversations = Array.from(
  { length: 400 },
  () => drawConversation(random, words, 1).conversation,
);
const texts = conversations.flatMap(render).map(({ text }) => text);
const plain = texts.flatMap((text) => text.split(/<[^<>\s]+>/));
const vocabulary = vocabularyFrom(learnMerges(plain, { letters: 400, marks: 80 }));
const encoder = new Encoder(vocabulary);
const folder = temporaryFolder();

/** Content of a shard of these conversations. */
function written(name: string, added: readonly Conversation[]) {
  const shard = new Shard(encoder);
  for (const conversation of added) shard.add(conversation, 3, Infinity);
  shard.write(folder, name);
  const file = (suffix: string) => new Uint8Array(readFileSync(join(folder, `${name}.${suffix}`)));
  return {
    tokens: [...new Uint16Array(file("tokens").buffer)],
    learn: [...file("learn")],
    docs: [...new Uint32Array(file("docs").buffer)],
  };
}

/** Text that the model learns to generate, with a bar before each decisive token. */
function decisions(conversation: Conversation): string {
  const { tokens, learn } = written("decisions", [conversation]);
  const pieces = tokens.map((id, at) => {
    const text = vocabulary.tokens[id] ?? "";
    return learn[at] === 0 ? "" : learn[at] === 2 ? `|${text}` : text;
  });
  return pieces.join("").replaceAll("Ġ", " ").replaceAll("Ċ", "\n");
}

const ask = { role: "user", content: "Hello!" } as const;

describe("a shard", () => {
  it("holds the tokens of the rendered conversations, one after another", () => {
    const { tokens, learn } = written("all", conversations);
    const segments = conversations.flatMap(render);
    expect(tokens).toEqual(segments.flatMap(({ text }) => encoder.encode(text)));
    expect(learn.map((kind) => kind > 0)).toEqual(
      segments.flatMap((segment) => encoder.encode(segment.text).map(() => segment.learn)),
    );
  });

  it("records the start and the skill of each conversation", () => {
    const two = conversations.slice(0, 2);
    const [first] = two.map((conversation) => written("one", [conversation]).tokens.length);
    expect(written("two", two).docs).toEqual([0, 3, first, 3]);
  });

  it("omits conversations longer than the limit", () => {
    const shard = new Shard(encoder);
    for (const conversation of conversations) shard.add(conversation, 0, 2);
    expect(shard.length).toBe(0);
  });

  it("marks the first token of an answer as decisive", () => {
    const messages = [ask, { role: "assistant", content: "Hi there!" } as const];
    expect(decisions({ messages, expect: { kind: "no-call" } })).toBe("|Hi there!<|im_end|>");
  });

  it("marks the start of each call's name, keys and values as decisive, for any text", () => {
    const call = {
      name: "get_tide",
      arguments: { at_place: "Münster", days: 42, deep: true, time: "7:30" },
    };
    const messages = [ask, { role: "assistant", content: "", calls: [call] } as const];
    expect(decisions({ messages, expect: { kind: "calls", calls: [call] } })).toBe(
      '|<tool_call>\n{"|name": "|get_tide", "arguments": {"|at_place": "|MÃ¼nster", ' +
        '"|days": |42, "|deep":| true, "|time": "|7:30"}}\n</tool_call><|im_end|>',
    );
  });
});
