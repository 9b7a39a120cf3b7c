/** State of a model's layers for multi-token prediction (MTP, "nextn"). */
export type MtpLayers =
  | { readonly kind: "none" }
  /** With several `layers`, each proposes the token of one position; a single one proposes all. */
  | { readonly kind: "usable"; readonly layers: number }
  | { readonly kind: "unusable"; readonly reason: string }
  /**
   * The file contains only such layers and belongs to another file. llama.cpp would compute with
   * tensors that it lacks.
   */
  | { readonly kind: "alone" };

/** A file's properties concerning MTP layers. */
export interface MtpLayersInput {
  readonly architecture: string;
  /** Layers of all kinds. */
  readonly blocks: number;
  /** Number of MTP layers, which are the last ones. */
  readonly predictingBlocks: number;
  readonly tensorNames: ReadonlySet<string>;
}

interface MtpSupport {
  /** Whether llama.cpp asserts that there is only one layer. */
  readonly layers: "one" | "any number";
  /** Tensors of each MTP layer that llama.cpp's graph asserts but its loader does not require. */
  readonly additionalTensors?: readonly string[];
}

const singleLayer: MtpSupport = { layers: "one" };
const latentAttention: MtpSupport = {
  layers: "one",
  additionalTensors: ["attn_q_a.weight", "attn_kv_a_mqa.weight", "attn_k_b.weight"],
};

/**
 * Architectures whose MTP layers llama.cpp computes, i.e. which have a graph for
 * `LLM_GRAPH_TYPE_DECODER_MTP` in its `src/models`. For any other architecture, a context for MTP
 * layers would compute the whole model. `deepseek4` is excluded, because its graph asserts more
 * than a file's tensors show.
 */
const SUPPORT: Readonly<Record<string, MtpSupport>> = {
  bailingmoe3: singleLayer,
  cohere2moe: singleLayer,
  deepseek2: latentAttention,
  deepseek32: latentAttention,
  "glm-dsa": latentAttention,
  glm4moe: singleLayer,
  hy_v3: { layers: "any number" },
  mimo2: {
    layers: "any number",
    additionalTensors: ["attn_qkv.weight", "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight"],
  },
  nemotron_h_moe: singleLayer,
  qwen35: singleLayer,
  qwen35moe: singleLayer,
  qwen3next: singleLayer,
  step35: { layers: "any number" },
};

const REQUIRED_TENSORS = ["nextn.eh_proj.weight", "nextn.enorm.weight", "nextn.hnorm.weight"];

/** Returns which MTP layers llama.cpp can compute without ending the process. */
export function findMtpLayers(input: MtpLayersInput): MtpLayers {
  const { architecture, blocks, predictingBlocks, tensorNames } = input;
  if (predictingBlocks <= 0 || predictingBlocks >= blocks) return { kind: "none" };
  const first = blocks - predictingBlocks;
  if (![...tensorNames].some((name) => name.startsWith("blk.0."))) return { kind: "alone" };
  // Some published files state a number of layers but omit their tensors.
  if (!tensorNames.has(`blk.${first}.${REQUIRED_TENSORS[0]}`)) return { kind: "none" };
  const support = SUPPORT[architecture];
  if (support === undefined) {
    return createUnusableLayers(`llama.cpp does not support them for ${architecture} models`);
  }
  if (support.layers === "one" && predictingBlocks > 1) {
    return createUnusableLayers(
      `llama.cpp supports 1 such layer for ${architecture} models, but the file has ${predictingBlocks}`,
    );
  }
  const requiredTensors = [...REQUIRED_TENSORS, ...(support.additionalTensors ?? [])];
  for (let block = first; block < blocks; block++) {
    const missingTensor = requiredTensors.find((part) => !tensorNames.has(`blk.${block}.${part}`));
    if (missingTensor !== undefined)
      return createUnusableLayers(`the file has no tensor blk.${block}.${missingTensor}`);
  }
  return { kind: "usable", layers: predictingBlocks };
}

function createUnusableLayers(reason: string): MtpLayers {
  return { kind: "unusable", reason };
}
