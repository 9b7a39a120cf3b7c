import { type LlamaModel, LlamaVocabularyType } from "node-llama-cpp";
import { describe, expect, test, vi } from "vitest";
import { loadVocabulary } from "../../../../src/engine/grammar-vocabulary.js";
import { readVocabulary } from "../../../../src/engine/text/vocabulary/vocabulary.js";
import { modelWithTokenizer } from "../../../support/random-models.js";

const texts = ["a", "<s>", "</s>", "<|im_end|>"];
const control = new Set([1, 2, 3]);

function stubModel(tokens: Readonly<Record<string, unknown>> = {}) {
  return {
    iterateAllTokens: () => texts.keys(),
    isEogToken: (token: number) => token >= 2,
    getTokenAttributes: (token: number) => ({
      control: control.has(token),
      normal: !control.has(token),
    }),
    detokenize: vi.fn(([token = -1]: readonly number[], special: boolean) =>
      control.has(token) && !special ? "" : texts[token],
    ),
    tokenize: vi.fn((_text: string, _special: boolean) => [0]),
    vocabularyType: LlamaVocabularyType.bpe,
    fileInfo: { metadata: { tokenizer: { ggml: { model: "gpt2", tokens: texts } } } },
    tokens: {
      bos: 1,
      bosString: "<s>",
      eosString: "</s>",
      shouldPrependBosToken: true,
      infill: { prefix: null, suffix: null, middle: null },
      ...tokens,
    },
  };
}

const read = (model: ReturnType<typeof stubModel>) =>
  readVocabulary(model as unknown as LlamaModel);

describe("readVocabulary", () => {
  test("reads the size, the special tokens and the control-token texts", () => {
    expect(read(stubModel())).toMatchObject({
      size: 4,
      prependedBos: 1,
      bosText: "<s>",
      eosText: "</s>",
      endOfGeneration: new Set([2, 3]),
      controlTexts: ["<s>", "</s>", "<|im_end|>"],
    });
  });

  test("contains only the texts of control tokens", () => {
    const { controlTextOf } = read(stubModel());
    expect([0, 1, 3, 99].map(controlTextOf)).toEqual([undefined, "<s>", "<|im_end|>", undefined]);
  });

  test.each([
    ["the model does not prepend one", { shouldPrependBosToken: false }],
    ["the model has no BOS", { bos: null, bosString: null }],
  ])("prepends no BOS when %s", (_, tokens) => {
    expect(read(stubModel(tokens)).prependedBos).toBeUndefined();
  });

  test("returns empty texts for missing special tokens", () => {
    const vocabulary = read(stubModel({ bosString: null, eosString: null }));
    expect([vocabulary.bosText, vocabulary.eosText]).toEqual(["", ""]);
  });

  test("parses control tokens only on request", () => {
    const model = stubModel();
    const vocabulary = read(model);
    vocabulary.tokenize("x", "parsed");
    vocabulary.tokenize("y", "literal");
    expect(model.tokenize.mock.calls).toEqual([
      ["x", true],
      ["y", false],
    ]);
  });

  test("returns the bytes of all tokens except control and unknown tokens", () => {
    const { bytesOf } = read(stubModel());
    expect([...bytesOf(3)]).toEqual([]);
    expect([...bytesOf(0)]).toEqual([0x61]);
    expect([...bytesOf(99)]).toEqual([]);
  });
});

describe("the infill tokens", () => {
  test.each([
    ["starcoder", { prefix: 1, suffix: 3, middle: 2 }],
    ["refact", { prefix: 1, suffix: 3, middle: 2, repository: 18 }],
    ["gpt-2", undefined],
  ])("of %s are %j", async (tokenizer, infill) => {
    const vocabulary = await loadVocabulary(modelWithTokenizer(tokenizer));
    expect(vocabulary.infill).toEqual(infill);
  });

  test("are absent if a required token is missing", () => {
    const infill = { prefix: 1, suffix: 2, middle: null };
    expect(read(stubModel({ infill })).infill).toBeUndefined();
  });
});
