import type { EngineDescription } from "../../../core/engine.js";
import { BANNING_BIAS } from "../translate-sampling.js";
import type { NativeSettings } from "./response-schema.js";
import type { SharedRequest } from "./translate.js";

/** Sampling parameters that are repeated as they were sent. */
const REPEATED = [
  "seed",
  "post_sampling_probs",
  "temperature",
  "top_k",
  "top_p",
  "min_p",
  "xtc_probability",
  "xtc_threshold",
  "repeat_last_n",
  "repeat_penalty",
  "presence_penalty",
  "frequency_penalty",
  "dry_multiplier",
  "dry_base",
  "dry_allowed_length",
  "dry_penalty_last_n",
  "dry_sequence_breakers",
  "samplers",
  "grammar",
] as const;

/** The settings of a request, as llama-server repeats them in its answers. Those that it does not have are absent. */
export function toSettings(
  body: SharedRequest,
  { endTokens, model }: Pick<EngineDescription, "endTokens" | "model">,
): NativeSettings {
  const { n_predict = -1, n_probs = 0, stop, stream = false, ignore_eos = false } = body;
  const biases = Object.entries(body.logit_bias ?? {}).map(([token, bias]) => ({
    token: Number(token),
    bias: bias <= BANNING_BIAS ? null : bias,
  }));
  const banned = ignore_eos ? endTokens.map((token) => ({ token, bias: null })) : [];
  return {
    ...Object.fromEntries(
      REPEATED.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
    ),
    n_ctx: model.contextSize,
    n_predict,
    max_tokens: n_predict,
    n_probs,
    stop,
    stream,
    ignore_eos,
    logit_bias: [...biases, ...banned],
  };
}
