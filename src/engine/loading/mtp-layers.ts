/** What a model has of layers for multi-token prediction (MTP, "nextn"). */
export type MtpLayers =
  | { readonly kind: "none" }
  /** `layers`: each of them proposes the token of one step; 1: it proposes all of them. */
  | { readonly kind: "usable"; readonly layers: number }
  | { readonly kind: "unusable"; readonly reason: string }
  /** The file has nothing else: it is a part of another one. llama.cpp would compute with tensors that it has not. */
  | { readonly kind: "alone" };

/** What a file says of such layers. */
export interface MtpQuestion {
  readonly architecture: string;
  /** Layers of all kinds. */
  readonly blocks: number;
  /** Those of them that predict, which are the last ones. */
  readonly predictingBlocks: number;
  readonly tensorNames: ReadonlySet<string>;
}

interface Support {
  /** Whether llama.cpp asserts that there is but one. */
  readonly layers: "one" | "any number";
  /** Tensors of each such layer that its graph asserts and its loader does not demand. */
  readonly alsoNeeds?: readonly string[];
}

const one: Support = { layers: "one" };
const latentAttention: Support = {
  layers: "one",
  alsoNeeds: ["attn_q_a.weight", "attn_kv_a_mqa.weight", "attn_k_b.weight"],
};

/**
 * The architectures whose layers llama.cpp computes: those with a graph for `LLM_GRAPH_TYPE_DECODER_MTP` in its
 * `src/models`. A context for them of any other architecture would compute the whole model. Not here: `deepseek4`, whose
 * graph asserts more than a file's tensors tell.
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

/** Which layers for multi-token prediction llama.cpp could compute without ending the process. */
export function mtpLayersOf(question: MtpQuestion): MtpLayers {
  const { architecture, blocks, predictingBlocks, tensorNames } = question;
  if (predictingBlocks <= 0 || predictingBlocks >= blocks) return { kind: "none" };
  const first = blocks - predictingBlocks;
  if (![...tensorNames].some((name) => name.startsWith("blk.0."))) return { kind: "alone" };
  // Files are published without them: the number alone says nothing.
  if (!tensorNames.has(`blk.${first}.${ALWAYS_NEEDED[0]}`)) return { kind: "none" };
  const support = SUPPORT[architecture];
  if (support === undefined) {
    return unusable(`llama.cpp cannot compute those of ${architecture} models`);
  }
  if (support.layers === "one" && predictingBlocks > 1) {
    return unusable(
      `llama.cpp computes 1 of ${architecture} models, the file has ${predictingBlocks}`,
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
