import fc from "fast-check";
import type { Llama, LlamaModel } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../../models/random/random-choices.js";
import { drawConversation, shares } from "../../../models/training/corpus/mixture.js";
import { render } from "../../../models/training/corpus/render.js";
import { Lexicon } from "../../../models/training/corpus/words/lexicon.js";
import { Encoder } from "../../../models/training/tokenizer/encode.js";
import { readVocabulary, type Vocabulary } from "../../../src/engine/text/vocabulary/vocabulary.js";
import { nativeLibrary } from "../../support/native-library.js";
import { shippedModel } from "../../support/shipped-model.js";

let llama: Llama;
let model: LlamaModel;
let theirs: Vocabulary;
let ours: Encoder;
beforeAll(async () => {
  llama = await nativeLibrary();
  model = await llama.loadModel({ modelPath: shippedModel, vocabOnly: true });
  theirs = readVocabulary(model);
  const { tokens, merges } = model.fileInfo.metadata.tokenizer.ggml;
  ours = new Encoder({
    tokens,
    merges: (merges ?? []).map((merge) => {
      const [left = "", right = ""] = merge.split(" ");
      return [left, right] as const;
    }),
  });
});

const awkward = [
  "",
  " ",
  "   ",
  "\n",
  "\n\n \n",
  "\r\n\r\n",
  "\t tab \t",
  "trailing   ",
  "   leading",
  "I'm, you'LL, we've; it's 'S",
  "CamelCase snake_case kebab-case",
  "1234567890 3.14 -5 1,000",
  "a1b2c3 12th x86_64",
  "!!!??? ... ,,, ;;; --- ***",
  "naïve café Straße ÀÉÎ",
  "e\u0301 and é",
  "日本語のテキスト 中文字符 한국어",
  "Ω≈ç√ ∑ ½ Ⅷ ٣٤",
  "مرحبا بالعالم שלום",
  "👩‍🚀🏽 🇳🇴 🤷‍♂️",
  "\u0000\u0001\u007f\u00a0\u2003\u2028\u200b\ufeff",
  "zero\u200bwidth\u00adsoft",
  "𝒳𝓎 𐍈 \u{10ffff}",
  "<|im_start|>user\nhi<|im_end|>\n",
  "<think>\nhm\n</think>\n\nyes",
  '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><tools></tools>',
  '{"name": "f", "arguments": {"a": {"b": 1}}}, "arguments": {"a": 1}, "x", "arguments": {"',
  '{"name": "f", "arguments": {"a": "string", "b": "number"}, "description": "x"}',
  'a": "string", "arguments": {"a": "integer"}, "description": "boolean", "',
  '", "arguments":{"", "arguments" : {""," arguments": {"',
  "<|endoftext|><tool_response></tool_response>",
  "<|im_start>< |im_end|><think <THINK>",
];

/** Ranges to which recent versions of Unicode have added nothing. */
const ranges = [
  [0x20, 0x7e],
  [0x00, 0x5ff],
  [0x3041, 0x30ff],
  [0x4e00, 0x9fa5],
  [0x1f300, 0x1f64f],
] as const;
const character = fc
  .oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
  .map((code) => String.fromCodePoint(code));

describe("the training tokenizer", () => {
  it.each(awkward.map((text) => [JSON.stringify(text), text]))(
    "produces the same tokens as llama.cpp: %s",
    (_, text) => {
      expect(ours.encode(text)).toEqual(theirs.tokenize(text, "parsed"));
    },
  );

  it("produces the same tokens as llama.cpp for any text of ASCII, older scripts and emoji", () => {
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 40 }), (text) => {
        expect(ours.encode(text)).toEqual(theirs.tokenize(text, "parsed"));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(["train", "heldout"] as const)(
    "produces the same tokens as llama.cpp for conversations of the %s vocabulary",
    (split) => {
      const [random, words] = [new Random(21), new Lexicon(split)];
      for (let i = 0; i < 20 * shares.length; i += 1) {
        const { conversation } = drawConversation(random, words, 1);
        const segments = render(conversation).map(({ text }) => text);
        const whole = segments.join("");
        const tokens = theirs.tokenize(whole, "parsed");
        expect(ours.encode(whole)).toEqual(tokens);
        // The corpus is encoded piece by piece, to record which tokens the loss covers.
        expect(segments.flatMap((text) => ours.encode(text))).toEqual(tokens);
      }
    },
  );
});
