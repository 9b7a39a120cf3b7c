import { join } from "node:path";
import type { Llama, LlamaModel, Token } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { generateRandomModel, type RandomModelOptions } from "../../../models/random/generate.js";
import { nativeLibrary } from "../../support/native-library.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
let llama: Llama;

beforeAll(async () => {
  llama = await nativeLibrary();
});

type Variant = Pick<RandomModelOptions, "shape" | "type" | "tokenizer">;

/** Disposes of a native object when the test ends, in reverse order of creation. */
function autoDisposed<Native extends { dispose(): Promise<void> }>(native: Native): Native {
  onTestFinished(() => native.dispose());
  return native;
}

function load({ shape, type, tokenizer }: Variant): Promise<LlamaModel> {
  const path = join(folder, `${shape}.${type}.${tokenizer ?? "own"}.gguf`);
  generateRandomModel({ shape, type, seed: 1, path, tokenizer });
  return llama.loadModel({ modelPath: path });
}

async function generate(model: LlamaModel, prompt: string, count: number): Promise<Token[]> {
  const context = autoDisposed(await model.createContext({ contextSize: 256, threads: 1 }));
  const tokens: Token[] = [];
  for await (const token of context.getSequence().evaluate(model.tokenize(prompt, true), {
    temperature: 0,
  })) {
    tokens.push(token);
    if (tokens.length === count) break;
  }
  return tokens;
}

const hardText =
  "Hello , world ! It 's 12345.\r\n\n\t  naïve Ω 日本語 👩‍🚀🏽 \u0000\u007f <|im_start|>not special";

describe.each(["f32", "f16", "q8_0"] as const)("a tiny model in %s", (type) => {
  let model: LlamaModel;

  beforeAll(async () => {
    model = await load({ shape: "tiny", type });
  });

  afterAll(() => model.dispose());

  it("round-trips any text", () => {
    expect(model.detokenize(model.tokenize(hardText))).toBe(hardText);
  });

  it("encodes common words with fewer tokens than bytes", () => {
    expect(model.tokenize(" the boat and the harbour").length).toBeLessThan(12);
  });

  it("encodes each byte as the token with that id", () => {
    expect(model.tokenize("~")).toEqual(["~".charCodeAt(0)]);
  });

  it("encodes control tokens as single tokens when they are enabled, and detokenises them", () => {
    const prompt = "<|im_start|>user\nhi 👋<|im_end|>\n<|endoftext|>";
    const tokens = model.tokenize(prompt, true);
    expect(tokens[0]).toBe(510);
    expect(tokens).toContain(model.tokens.eos);
    expect(tokens.at(-1)).toBe(model.tokens.bos);
    expect(model.detokenize(tokens, true)).toBe(prompt);
  });

  it("uses the end-of-message token as EOS, and adds no BOS", () => {
    expect(model.tokens.eosString).toBe("<|im_end|>");
    expect(model.tokens.bosString).toBe("<|endoftext|>");
    expect(model.tokens.shouldPrependBosToken).toBe(false);
  });

  it("generates deterministically, without repeating a single token", async () => {
    const first = await generate(model, "<|im_start|>user\nhi<|im_end|>\n", 40);
    const second = await generate(model, "<|im_start|>user\nhi<|im_end|>\n", 40);
    expect(first).toHaveLength(40);
    expect(second).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(10);
  });
});

const otherKinds = [
  "mamba-tiny",
  "jamba-tiny",
  "cohere2-tiny",
  "moe-tiny",
  "gemma3-vision-tiny",
  "qwen25vl-tiny",
] as const;

describe.each(otherKinds)("the model %s", (shape) => {
  it("generates tokens that depend on the whole prompt, without repeating a single token", async () => {
    const model = autoDisposed(await load({ shape, type: "q8_0" }));
    const suffix = " and so on".repeat(20);
    const [one, same, other] = [
      await generate(model, `the boat${suffix}`, 40),
      await generate(model, `the boat${suffix}`, 40),
      await generate(model, `a baker${suffix}`, 40),
    ];
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    expect(new Set(one).size).toBeGreaterThan(10);
  });
});

describe("a padded vocabulary", () => {
  it("has the size given by the shape, and only tokens with text are generated", async () => {
    const model = autoDisposed(await load({ shape: "15m", type: "q8_0" }));
    expect(model.fileInfo.metadata.tokenizer.ggml.tokens).toHaveLength(32_000);
    expect(model.detokenize(model.tokenize(hardText))).toBe(hardText);
    const tokens = await generate(model, "The boat", 20);
    expect(Math.max(...tokens)).toBeLessThan(512);
  });
});

describe("a tokenizer from llama.cpp's vocabulary files", () => {
  it("is used unchanged, and determines the vocabulary size", async () => {
    const model = autoDisposed(await load({ shape: "tiny", type: "q8_0", tokenizer: "gpt-2" }));
    expect(model.fileInfo.metadata.tokenizer.ggml.tokens).toHaveLength(50_257);
    expect(model.tokenize("Hello world")).toEqual([15496, 995]);
    expect(await generate(model, "Hello world", 5)).toHaveLength(5);
  });
});

describe("the embedding model", () => {
  it("places related texts closer together than unrelated ones", async () => {
    const model = autoDisposed(await load({ shape: "embed-tiny", type: "f32" }));
    const context = autoDisposed(
      await model.createEmbeddingContext({ contextSize: 128, threads: 1 }),
    );
    const [boat, ship, code] = [
      await context.getEmbeddingFor("the boat came back to the harbour"),
      await context.getEmbeddingFor("the boat came back to the town"),
      await context.getEmbeddingFor("numbers.reduce((sum, number) => 0)"),
    ];
    expect(boat.vector).toHaveLength(64);
    expect(boat.calculateCosineSimilarity(ship)).toBeGreaterThan(
      boat.calculateCosineSimilarity(code),
    );
  });
});

describe("the embedding decoder", () => {
  it("computes an embedding that depends on the whole text", async () => {
    const model = autoDisposed(await load({ shape: "embed-qwen3-tiny", type: "f32" }));
    const context = autoDisposed(
      await model.createEmbeddingContext({ contextSize: 128, threads: 1 }),
    );
    const suffix = " came back to the harbour";
    const [boat, same, ship] = [
      await context.getEmbeddingFor(`the boat${suffix}`),
      await context.getEmbeddingFor(`the boat${suffix}`),
      await context.getEmbeddingFor(`a ship${suffix}`),
    ];
    expect(boat.vector).toHaveLength(64);
    expect(boat.calculateCosineSimilarity(same)).toBeCloseTo(1);
    expect(boat.calculateCosineSimilarity(ship)).toBeLessThan(0.99);
  });
});

describe.each(["rerank-tiny", "rerank-qwen3-tiny"] as const)("the reranking model %s", (shape) => {
  it("assigns different scores between 0 and 1 to different documents", async () => {
    const model = autoDisposed(await load({ shape, type: "f32" }));
    const context = autoDisposed(
      await model.createRankingContext({ contextSize: 128, threads: 1 }),
    );
    const documents = ["in the harbour", "bread", "the baker laughed"];
    const scores = await context.rankAll("where is the boat?", documents);
    expect(new Set(scores).size).toBe(documents.length);
    for (const score of scores) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThan(1);
    }
  });
});
