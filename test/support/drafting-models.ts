import { join } from "node:path";
import type { GgufTensor } from "../../models/gguf/content.js";
import { bool, f32, type Metadata, text, u32 } from "../../models/gguf/metadata.js";
import { writeGguf } from "../../models/gguf/writer.js";
import { chatmlTemplate } from "../../models/random/chatml.jinja.js";
import { ownTokenizer } from "../../models/random/own-tokenizer.js";
import { Random } from "../../models/random/random-choices.js";

/**
 * Models whose blocks contribute nothing: the next token is a function of the last one, a
 * permutation of the vocabulary. Their drafters compute the same function from another token's
 * hidden state, so that they are right exactly if they get the right states and tokens.
 */

const VOCABULARY = 512;
/** Elements that distinguish tokens; a state has two sections of them. */
const SECTION = 64;
const WIDTH = 2 * SECTION;
const FEED_FORWARD = 32;

/** How the drafting layers compute: the same function, or noise. */
export type DraftingWeights = "exact" | "noise";

export interface MtpModelOptions {
  /**
   * `glm4moe`: its states can be truncated; `qwen35`: they cannot, one of its layers is recurrent; `mimo2`: two layers
   * predict, each for one step, and some have a sliding window.
   */
  readonly architecture: "glm4moe" | "qwen35" | "mimo2";
  readonly drafting: DraftingWeights;
  /** How much more probable the most probable token is; with 1 there is hardly any other. */
  readonly sharpness?: number;
}

const tokenizer = ownTokenizer(VOCABULARY, "none");
/** Tokens that are text. */
const texts = tokenizer.tokenTypes.filter((type) => type === 1).length;

/** A function of the seed alone. */
function permutation(): readonly number[] {
  const random = new Random(7);
  const tokens = Array.from({ length: texts }, (_, token) => token);
  for (let index = texts - 1; index > 0; index--) {
    const other = random.int(0, index);
    [tokens[index], tokens[other]] = [tokens[other] ?? 0, tokens[index] ?? 0];
  }
  return tokens;
}

const successors = permutation();

/** The token that follows another one; control tokens are followed by text. */
export function successorOf(token: number): number {
  return successors[token % texts] ?? 0;
}

function gaussian(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/** A vector for each token. */
const vectors: readonly Float32Array[] = (() => {
  const random = new Random(11);
  return Array.from({ length: VOCABULARY }, () =>
    Float32Array.from({ length: SECTION }, () => gaussian(random)),
  );
})();

const vectorOf = (token: number): Float32Array => vectors[token] ?? new Float32Array(SECTION);

type Rows = (row: number) => Float32Array;

function tensor(name: string, shape: readonly number[], row: Rows): GgufTensor {
  const count = shape.slice(1).reduce((product, length) => product * length, 1);
  return {
    name,
    shape,
    type: "f32",
    rows: () => Array.from({ length: count }, (_, index) => row(index)),
  };
}

function filled(name: string, shape: readonly number[], value: number): GgufTensor {
  return tensor(name, shape, () => new Float32Array(shape[0] ?? 0).fill(value));
}

const zeros = (name: string, ...shape: number[]) => filled(name, shape, 0);
const ones = (name: string, ...shape: number[]) => filled(name, shape, 1);

function noise(name: string, shape: readonly number[], seed: number): GgufTensor {
  return tensor(name, shape, (row) => {
    const random = new Random(seed + 7919 * row);
    return Float32Array.from({ length: shape[0] ?? 0 }, () => gaussian(random));
  });
}

/** For each token the sum of a function of the tokens that it follows. */
function outputRows(of: (token: number) => Float32Array, steps: number): readonly Float32Array[] {
  const rows = Array.from({ length: VOCABULARY }, () => new Float32Array(WIDTH));
  for (let token = 0; token < texts; token++) {
    let next = token;
    for (let step = 0; step < steps; step++) next = successorOf(next);
    const row = rows[next];
    for (const [index, value] of of(token).entries())
      if (row !== undefined) row[index] = value + (row[index] ?? 0);
  }
  return rows;
}

function sections(first: Float32Array, second: Float32Array): Float32Array {
  return Float32Array.from([...first, ...second]);
}

const nothing = new Float32Array(SECTION);
/** The second section of every embedding: a constant in its last element. */
const constant = (value: number) => nothing.with(SECTION - 1, value);

/** Embeddings, output matrix and the norm before it. */
function frame(sharpness: number): GgufTensor[] {
  const output = outputRows(
    (token) =>
      sections(
        vectorOf(token).map((value) => value * sharpness),
        nothing,
      ),
    1,
  );
  return [
    tensor("token_embd.weight", [WIDTH, VOCABULARY], (token) =>
      sections(vectorOf(token), constant(1)),
    ),
    ones("output_norm.weight", WIDTH),
    tensor(
      "output.weight",
      [WIDTH, VOCABULARY],
      (token) => output[token] ?? new Float32Array(WIDTH),
    ),
  ];
}

/**
 * Weights of a predicting layer. Its input is the next token's embedding in the first section and
 * the first section of the state in the second one: both predict the following token, with a
 * separate matrix each.
 */
function predictingWeights(layer: number, drafting: DraftingWeights): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.nextn.${part}.weight`;
  const byToken = outputRows((token) => sections(vectorOf(token), nothing), 1);
  const byState = outputRows(
    (token) =>
      sections(
        nothing,
        vectorOf(token).map((value) => 2 * value),
      ),
    2,
  );
  const headRow = (token: number) =>
    Float32Array.from(
      { length: WIDTH },
      (_, index) => (byToken[token]?.[index] ?? 0) + (byState[token]?.[index] ?? 0),
    );
  const projected = (row: number) => {
    const weights = new Float32Array(2 * WIDTH);
    if (row < SECTION) weights[row] = 1;
    else weights[WIDTH + row - SECTION] = 4;
    return weights;
  };
  return [
    tensor(name("eh_proj"), [2 * WIDTH, WIDTH], projected),
    ones(name("enorm"), WIDTH),
    ones(name("hnorm"), WIDTH),
    ones(name("shared_head_norm"), WIDTH),
    drafting === "exact"
      ? tensor(name("shared_head_head"), [WIDTH, VOCABULARY], headRow)
      : noise(name("shared_head_head"), [WIDTH, VOCABULARY], 3),
  ];
}

/** Writes a model with one layer for multi-token prediction. */
export function writeMtpModel(
  folder: string,
  { architecture, drafting, sharpness = 1 }: MtpModelOptions,
): string {
  const path = join(folder, `${architecture}.${drafting}.${sharpness}.gguf`);
  const { metadata, blocks, predicting = 1 } = decoders[architecture]();
  const layers = Array.from({ length: predicting }, (_, index) => LAYERS + index);
  writeGguf(path, {
    metadata: withFrame(architecture, metadata),
    tensors: [
      ...frame(sharpness),
      ...blocks,
      ...layers.flatMap((layer) => predictingWeights(layer, drafting)),
    ],
  });
  return path;
}

interface Decoder {
  readonly metadata: Metadata;
  readonly blocks: readonly GgufTensor[];
  /** Layers that predict; 1 by default. */
  readonly predicting?: number;
}

const decoders: Readonly<Record<MtpModelOptions["architecture"], () => Decoder>> = {
  glm4moe,
  qwen35,
  mimo2,
};

const LAYERS = 2;

function withFrame(architecture: string, metadata: Metadata): Metadata {
  return new Map([
    ["general.architecture", text(architecture)],
    ["general.name", text(`ggufd ${architecture}`)],
    ...[...metadata].map(([key, value]) => [`${architecture}.${key}`, value] as const),
    ["tokenizer.chat_template", text(chatmlTemplate)],
    ...tokenizer.metadata,
  ]);
}

const HEADS = 4;
const KEY_VALUE_HEADS = 2;
const HEAD = 32;

function decoderMetadata(layers: number): Metadata {
  return new Map([
    ["context_length", u32(2048)],
    ["embedding_length", u32(WIDTH)],
    ["block_count", u32(layers)],
    ["feed_forward_length", u32(FEED_FORWARD)],
    ["attention.head_count", u32(HEADS)],
    ["attention.head_count_kv", u32(KEY_VALUE_HEADS)],
    ["attention.key_length", u32(HEAD)],
    ["attention.value_length", u32(HEAD)],
    ["attention.layer_norm_rms_epsilon", f32(1e-6)],
    ["rope.dimension_count", u32(HEAD)],
  ]);
}

/** Attention whose queries and keys are noise, and whose output is zero. */
function attention(layer: number, queryFactor: number): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    ones(name("attn_norm"), WIDTH),
    noise(name("attn_q"), [WIDTH, HEADS * HEAD * queryFactor], layer),
    noise(name("attn_k"), [WIDTH, KEY_VALUE_HEADS * HEAD], layer + 1),
    noise(name("attn_v"), [WIDTH, KEY_VALUE_HEADS * HEAD], layer + 2),
    zeros(name("attn_output"), HEADS * HEAD, WIDTH),
    ones(name("attn_q_norm"), HEAD),
    ones(name("attn_k_norm"), HEAD),
  ];
}

function feedForward(layer: number): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    ones(name("post_attention_norm"), WIDTH),
    zeros(name("ffn_gate"), WIDTH, FEED_FORWARD),
    zeros(name("ffn_up"), WIDTH, FEED_FORWARD),
    zeros(name("ffn_down"), FEED_FORWARD, WIDTH),
  ];
}

function glm4moe(): Decoder {
  const experts = 2;
  const name = (part: string) => `blk.${LAYERS}.${part}`;
  const layers = Array.from({ length: LAYERS }, (_, layer) => [
    ...attention(layer, 1),
    ...feedForward(layer),
  ]);
  const mixture = [
    ones(name("post_attention_norm.weight"), WIDTH),
    zeros(name("ffn_gate_inp.weight"), WIDTH, experts),
    zeros(name("exp_probs_b.bias"), experts),
    zeros(name("ffn_gate_exps.weight"), WIDTH, FEED_FORWARD, experts),
    zeros(name("ffn_up_exps.weight"), WIDTH, FEED_FORWARD, experts),
    zeros(name("ffn_down_exps.weight"), FEED_FORWARD, WIDTH, experts),
    zeros(name("ffn_gate_shexp.weight"), WIDTH, FEED_FORWARD),
    zeros(name("ffn_up_shexp.weight"), WIDTH, FEED_FORWARD),
    zeros(name("ffn_down_shexp.weight"), FEED_FORWARD, WIDTH),
  ];
  return {
    metadata: new Map([
      ...decoderMetadata(LAYERS + 1),
      ["expert_count", u32(experts)],
      ["expert_used_count", u32(1)],
      ["expert_shared_count", u32(1)],
      ["expert_feed_forward_length", u32(FEED_FORWARD)],
      ["leading_dense_block_count", u32(LAYERS)],
      ["nextn_predict_layers", u32(1)],
    ]),
    blocks: [...layers.flat(), ...attention(LAYERS, 1), ...mixture],
  };
}

const STATE = 32;
const STATE_HEADS = 2;

/** Recurrent layer whose output is zero. */
function recurrence(layer: number): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.${part}`;
  const inner = STATE * STATE_HEADS;
  return [
    ones(name("attn_norm.weight"), WIDTH),
    noise(name("attn_qkv.weight"), [WIDTH, 3 * inner], 21),
    noise(name("attn_gate.weight"), [WIDTH, inner], 22),
    noise(name("ssm_conv1d.weight"), [4, 3 * inner], 23),
    zeros(name("ssm_dt.bias"), STATE_HEADS),
    filled(name("ssm_a"), [STATE_HEADS], -1),
    noise(name("ssm_beta.weight"), [WIDTH, STATE_HEADS], 24),
    noise(name("ssm_alpha.weight"), [WIDTH, STATE_HEADS], 25),
    ones(name("ssm_norm.weight"), STATE),
    zeros(name("ssm_out.weight"), inner, WIDTH),
  ];
}

function qwen35(): Decoder {
  return {
    metadata: new Map([
      ...decoderMetadata(LAYERS + 1),
      ["rope.dimension_sections", { type: "array", element: "i32", values: [6, 5, 5, 0] }],
      ["ssm.conv_kernel", u32(4)],
      ["ssm.inner_size", u32(STATE * STATE_HEADS)],
      ["ssm.state_size", u32(STATE)],
      ["ssm.time_step_rank", u32(STATE_HEADS)],
      ["ssm.group_count", u32(STATE_HEADS)],
      ["full_attention_interval", u32(2)],
      ["nextn_predict_layers", u32(1)],
    ]),
    blocks: [
      ...recurrence(0),
      ...feedForward(0),
      ...attention(1, 2),
      ...feedForward(1),
      ...attention(LAYERS, 2),
      ...feedForward(LAYERS),
    ],
  };
}

function mimo2(): Decoder {
  const predicting = 2;
  const blocks = Array.from({ length: LAYERS + predicting }, (_, layer) => {
    const name = (part: string) => `blk.${layer}.${part}.weight`;
    return [
      ones(name("attn_norm"), WIDTH),
      noise(name("attn_qkv"), [WIDTH, (HEADS + 2 * KEY_VALUE_HEADS) * HEAD], 41 + layer),
      zeros(name("attn_output"), HEADS * HEAD, WIDTH),
      ones(name("ffn_norm"), WIDTH),
      zeros(name("ffn_gate"), WIDTH, FEED_FORWARD),
      zeros(name("ffn_up"), WIDTH, FEED_FORWARD),
      zeros(name("ffn_down"), FEED_FORWARD, WIDTH),
    ];
  });
  return {
    metadata: new Map([
      ...decoderMetadata(blocks.length),
      ["expert_feed_forward_length", u32(FEED_FORWARD)],
      ["attention.sliding_window", u32(64)],
      [
        "attention.sliding_window_pattern",
        { type: "array", element: "bool", values: [true, false, true, true] },
      ],
      ["nextn_predict_layers", u32(predicting)],
    ]),
    blocks: blocks.flat(),
    predicting,
  };
}

/** Writes a model of the llama architecture, whose layers EAGLE-3 heads can read. */
export function writeTargetModel(
  folder: string,
  { sharpness = 1 }: { readonly sharpness?: number } = {},
): string {
  const path = join(folder, `target.${sharpness}.gguf`);
  const layers = Array.from({ length: EAGLE_LAYERS.length }, (_, layer) =>
    plainBlock(layer, WIDTH),
  );
  writeGguf(path, {
    metadata: withFrame("llama", decoderMetadata(layers.length)),
    tensors: [...frame(sharpness), ...layers.flat()],
  });
  return path;
}

export interface Eagle3Options {
  readonly drafting: DraftingWeights;
  /** Embeddings and output matrix: the model's by default. */
  readonly matrices?: "model" | "own";
  /**
   * Metadata that differs from {@link writeTargetModel}'s, by names after the architecture's
   * prefix.
   */
  readonly metadata?: Metadata;
}

const EAGLE_LAYERS = [0, 1, 2];

/** Larger than the product of two different tokens' vectors, and smaller than that of one with itself. */
const GATE_THRESHOLD = 30;

/**
 * Writes an EAGLE-3 head for {@link writeTargetModel}. Its feed-forward network is a table from
 * each token's vector to that of the next token. Only the gate of the token itself opens: a few
 * others would change the state of a long draft until it names a wrong token.
 */
export function writeEagle3Head(
  folder: string,
  { drafting, matrices = "model", metadata = new Map() }: Eagle3Options,
): string {
  const name = ["eagle3", drafting, matrices, ...metadata.keys()].join(".");
  const path = join(folder, `${name}.gguf`);
  const weight = (part: string) => `blk.0.${part}.weight`;
  const columns = Array.from({ length: WIDTH }, (_, row) =>
    Float32Array.from(
      { length: VOCABULARY },
      (_, token) => (sections(vectorOf(successorOf(token)), constant(1))[row] ?? 0) / 100,
    ),
  );
  writeGguf(path, {
    metadata: withFrame(
      "eagle3",
      new Map([
        ...decoderMetadata(1),
        ["feed_forward_length", u32(VOCABULARY)],
        // Otherwise earlier proposals would stay in the state.
        ["norm_before_residual", bool(true)],
        ["target_hidden_size", u32(WIDTH)],
        ["target_layers", { type: "array", element: "i32", values: EAGLE_LAYERS }],
        ...metadata,
      ]),
    ),
    tensors: [
      tensor("fc.weight", [EAGLE_LAYERS.length * WIDTH, WIDTH], (row) =>
        Float32Array.from({ length: EAGLE_LAYERS.length * WIDTH }, (_, index) =>
          index % WIDTH === row ? 1 / EAGLE_LAYERS.length : 0,
        ),
      ),
      ...(matrices === "own" ? frame(1) : [ones("output_norm.weight", WIDTH)]),
      ones(weight("attn_norm"), WIDTH),
      ones(weight("attn_norm_2"), WIDTH),
      noise(weight("attn_q"), [2 * WIDTH, HEADS * HEAD], 31),
      noise(weight("attn_k"), [2 * WIDTH, KEY_VALUE_HEADS * HEAD], 32),
      noise(weight("attn_v"), [2 * WIDTH, KEY_VALUE_HEADS * HEAD], 33),
      zeros(weight("attn_output"), HEADS * HEAD, WIDTH),
      ones(weight("ffn_norm"), WIDTH),
      tensor(weight("ffn_gate"), [WIDTH, VOCABULARY], (token) =>
        sections(vectorOf(token), constant(-GATE_THRESHOLD)),
      ),
      tensor(weight("ffn_up"), [WIDTH, VOCABULARY], (token) => sections(vectorOf(token), nothing)),
      drafting === "exact"
        ? tensor(
            weight("ffn_down"),
            [VOCABULARY, WIDTH],
            (row) => columns[row] ?? new Float32Array(VOCABULARY),
          )
        : noise(weight("ffn_down"), [VOCABULARY, WIDTH], 34),
    ],
  });
  return path;
}

function plainBlock(layer: number, width: number): GgufTensor[] {
  const name = (part: string) => `blk.${layer}.${part}.weight`;
  return [
    ones(name("attn_norm"), width),
    noise(name("attn_q"), [width, HEADS * HEAD], layer),
    noise(name("attn_k"), [width, KEY_VALUE_HEADS * HEAD], layer + 1),
    noise(name("attn_v"), [width, KEY_VALUE_HEADS * HEAD], layer + 2),
    zeros(name("attn_output"), HEADS * HEAD, width),
    ones(name("ffn_norm"), width),
    zeros(name("ffn_gate"), width, FEED_FORWARD),
    zeros(name("ffn_up"), width, FEED_FORWARD),
    zeros(name("ffn_down"), FEED_FORWARD, width),
  ];
}
