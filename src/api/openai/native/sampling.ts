import type {
  GenerationRequest,
  SamplingParameters,
  StoppingParameters,
} from "../../../core/generation-request.js";
import type { TextService } from "../../../core/text-question.js";
import { toEvaluation } from "../cache-prompt.js";
import { toSampling, toStopping } from "../translate-sampling.js";
import type { NativeFields } from "./fields.js";
import { toTokenBiases } from "./logit-bias.js";

/** llama-server's names of a random seed: -1, also as the unsigned number that it is there. */
const RANDOM_SEEDS: ReadonlySet<number | undefined> = new Set([-1, 2 ** 32 - 1]);

/**
 * Samplers behind the default chain that clients name by default. `infill` joins tokens that begin
 * alike, which makes endings likelier; gaps are filled without it. The others are off unless a client
 * sets them: `adaptive_p`, or no longer exist: `tfs_z`.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["infill", "adaptive_p", "tfs_z"]);

/** As many tokens as fit. */
const NO_LIMIT = -1;

/** A request without what only llama-server's own clients say. */
export function withSharedNames<Body extends NativeFields>(body: Body) {
  const { samplers, seed, stop } = body;
  return {
    ...body,
    samplers: Array.isArray(samplers) ? samplers.filter((name) => !LEFT_OUT.has(name)) : samplers,
    seed: RANDOM_SEEDS.has(seed) ? undefined : seed,
    stop: stop === undefined ? [] : [stop].flat().filter((text) => text !== ""),
  };
}

/** The same with the biases of its texts by their tokens. */
export async function withTokenBiases<Body extends Pick<NativeFields, "logit_bias">>(
  body: Body,
  texts: TextService,
) {
  return { ...body, logit_bias: await toTokenBiases(body.logit_bias, texts) };
}

/** A request that all of the OpenAI endpoints' translations understand. */
export type SharedNames<Body extends NativeFields> = Awaited<
  ReturnType<typeof withTokenBiases<ReturnType<typeof withSharedNames<Body>>>>
>;

/** How a request's tokens are evaluated and drawn, and when they end. */
export function toNativeParameters(body: SharedNames<NativeFields>): {
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
  readonly evaluation: GenerationRequest["evaluation"];
} {
  const { n_predict: limit } = body;
  const stopping = toStopping(body);
  return {
    sampling: toSampling(body),
    stopping:
      limit === undefined
        ? stopping
        : { ...stopping, maxTokens: limit === NO_LIMIT ? undefined : limit },
    evaluation: toEvaluation(body.cache_prompt),
  };
}
