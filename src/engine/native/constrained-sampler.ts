import { DrawOrders } from "../sampling/draw-order.js";
import type { AddonSampler } from "./addon.js";
import { isGreedy, samplerConfig, variesBetweenTokens, withForbidden } from "./sampler-config.js";
import {
  certainDraw,
  type Logits,
  type SamplingContext,
  type ScoredDraw,
  type TokenConstraint,
  type TokenSampler,
} from "./token-context.js";

export interface DrawingParts {
  /** The generation's own; it is disposed of with the result. */
  readonly sampler: AddonSampler;
  readonly draw: (logits: Logits, sampler: AddonSampler) => Promise<number>;
  /** The same, with the probabilities of so many tokens behind the sampler's chain. */
  readonly drawScored: (logits: Logits, sampler: AddonSampler, top: number) => Promise<ScoredDraw>;
}

type Draw = Pick<ScoredDraw, "token">;
type DrawFrom<Drawn extends Draw> = (logits: Logits) => Promise<Drawn>;

/**
 * Draws tokens with a sampler of the binding, and holds them to the generation's constraint if there is one: tokens are
 * forbidden by biases, as it cannot mask logits.
 */
export function constrainedSampler(context: SamplingContext, parts: DrawingParts): TokenSampler {
  const { sampler } = parts;
  const configure = () => sampler.applyConfig(samplerConfig(context));
  configure();
  const varies = variesBetweenTokens(context.options);
  const orders = new DrawOrders();

  async function draw(logits: Logits): Promise<Draw> {
    const token = await parts.draw(logits, sampler);
    if (token < 0) throw new Error("llama.cpp sampled no token");
    return { token };
  }

  async function drawScored(logits: Logits, top: number): Promise<ScoredDraw> {
    // The native sampler picks the highest logit, and leaves the others as they are.
    if (isGreedy(context.options)) return certainDraw((await draw(logits)).token, top);
    return parts.drawScored(logits, sampler, top);
  }

  async function drawAllowed<Drawn extends Draw>(
    logits: Logits,
    constraint: TokenConstraint,
    draw: DrawFrom<Drawn>,
  ): Promise<Drawn> {
    const allowed = constraint.allowedTokens();
    try {
      sampler.applyConfig(withForbidden(samplerConfig(context), allowed));
      const drawn = await draw(logits);
      if (constraint.allows(drawn.token)) return drawn;
      // The request's biases forbid all that is allowed.
      const options = { ...context.options, logitBias: new Map(), forbidden: [] };
      sampler.applyConfig(withForbidden(samplerConfig({ ...context, options }), allowed));
      return await draw(logits);
    } finally {
      configure();
    }
  }

  async function sample<Drawn extends Draw>(logits: Logits, draw: DrawFrom<Drawn>): Promise<Drawn> {
    if (varies) configure();
    const { constraint } = context;
    if (constraint === undefined) return draw(logits);
    if (orders.next() === "mask-first") return drawAllowed(logits, constraint, draw);
    const drawn = await draw(logits);
    const result = constraint.allows(drawn.token) ? "hit" : "miss";
    orders.learn(result);
    return result === "hit" ? drawn : drawAllowed(logits, constraint, draw);
  }

  return {
    drawn: () => undefined,
    sample: async (logits) => (await sample(logits, draw)).token,
    sampleScored: (logits, top) => sample(logits, (row) => drawScored(row, top)),
    dispose: () => sampler.dispose(),
  };
}
