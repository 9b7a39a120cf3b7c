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
export interface MtpQuestion {
  readonly architecture: string;
  /** Layers of all kinds. */
  readonly blocks: number;
  /** Number of MTP layers, which are the last ones. */
  readonly predictingBlocks: number;
  readonly tensorNames: ReadonlySet<string>;
}

interface Support {
  /** Whether llama.cpp asserts that there is only one layer. */
  readonly layers: "one" | "any number";
  /** Tensors of each MTP layer that llama.cpp's graph asserts but its loader does not require. */
  readonly alsoNeeds?: readonly string[];
}

const one: Support = { layers: "one" };
const latentAttention: Support = {
  layers: "one",
  alsoNeeds: ["attn_q_a.weight", "attn_kv_a_mqa.weight", "attn_k_b.weight"],
};

/**
 * Architectures whose MTP layers llama.cpp computes, i.e. which have a graph for
 * `LLM_GRAPH_TYPE_DECODER_MTP` in its `src/models`. For any other architecture, a context for MTP
 * layers would compute the whole model. `deepseek4` is excluded, because its graph asserts more
 * than a file's tensors show.
 */
const SUPPORT: Readonly<Record<string, Support>> = {
  bailingmoe3: one,
  cohere2moe: one,
  deepseek2: latentAttention,
  deepseek32: latentAttention,
  "glm-dsa": latentAttention,
  glm4moe: one,
  hy_v3: { layers: "any number" },
  mimo2: {
    layers: "any number",
    alsoNeeds: ["attn_qkv.weight", "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight"],
  },
  nemotron_h_moe: one,
  qwen35: one,
  qwen35moe: one,
  qwen3next: one,
  step35: { layers: "any number" },
};

const ALWAYS_NEEDED = ["nextn.eh_proj.weight", "nextn.enorm.weight", "nextn.hnorm.weight"];

/** Returns which MTP layers llama.cpp can compute without ending the process. */
export function findMtpLayers(question: MtpQuestion): MtpLayers {
  const { architecture, blocks, predictingBlocks, tensorNames } = question;
  if (predictingBlocks <= 0 || predictingBlocks >= blocks) return { kind: "none" };
  const first = blocks - predictingBlocks;
  if (![...tensorNames].some((name) => name.startsWith("blk.0."))) return { kind: "alone" };
  // Some published files state a number of layers but omit their tensors.
  if (!tensorNames.has(`blk.${first}.${ALWAYS_NEEDED[0]}`)) return { kind: "none" };
  const support = SUPPORT[architecture];
  if (support === undefined) {
    return unusable(`llama.cpp does not support them for ${architecture} models`);
  }
  if (support.layers === "one" && predictingBlocks > 1) {
    return unusable(
      `llama.cpp supports 1 such layer for ${architecture} models, but the file has ${predictingBlocks}`,
    );
  }
  const needed = [...ALWAYS_NEEDED, ...(support.alsoNeeds ?? [])];
  for (let block = first; block < blocks; block++) {
    const missing = needed.find((part) => !tensorNames.has(`blk.${block}.${part}`));
    if (missing !== undefined) return unusable(`the file has no tensor blk.${block}.${missing}`);
  }
  return { kind: "usable", layers: predictingBlocks };
}

function unusable(reason: string): MtpLayers {
  return { kind: "unusable", reason };
}
