import { DrawOrders } from "../sampling/draw-order.js";
import type { AddonSampler } from "./addon.js";
import { samplerConfig, variesBetweenTokens, withForbidden } from "./sampler-config.js";
import type { Logits, SamplingContext, TokenConstraint, TokenSampler } from "./token-context.js";

export interface DrawingParts {
  /** The generation's own; it is disposed of with the result. */
  readonly sampler: AddonSampler;
  readonly draw: (logits: Logits, sampler: AddonSampler) => Promise<number>;
  /** Makes what is not allowed impossible in a row of logits. `undefined`: biases have to do that. */
  readonly mask: ((logits: Logits, allowed: Uint32Array) => Promise<void>) | undefined;
}

/** Draws tokens with a native sampler, and holds them to the generation's constraint if there is one. */
export function constrainedSampler(context: SamplingContext, parts: DrawingParts): TokenSampler {
  const { sampler, mask } = parts;
  const configure = () => sampler.applyConfig(samplerConfig(context));
  configure();
  const varies = variesBetweenTokens(context.options);
  const orders = new DrawOrders();

  async function draw(logits: Logits): Promise<number> {
    const token = await parts.draw(logits, sampler);
    if (token < 0) throw new Error("llama.cpp sampled no token");
    return token;
  }

  async function drawAllowed(logits: Logits, constraint: TokenConstraint): Promise<number> {
    const allowed = constraint.allowedTokens();
    if (mask !== undefined) {
      await mask(logits, allowed);
      const token = await draw(logits);
      if (constraint.allows(token)) return token;
    }
    try {
      sampler.applyConfig(withForbidden(samplerConfig(context), allowed));
      const token = await draw(logits);
      if (constraint.allows(token)) return token;
      // The request's biases forbid all that is allowed.
      const options = { ...context.options, logitBias: new Map(), forbidden: [] };
      sampler.applyConfig(withForbidden(samplerConfig({ ...context, options }), allowed));
      return await draw(logits);
    } finally {
      configure();
    }
  }

  return {
    async sample(logits) {
      if (varies) configure();
      const { constraint } = context;
      if (constraint === undefined) return draw(logits);
      if (orders.next() === "mask-first") return drawAllowed(logits, constraint);
      const token = await draw(logits);
      const result = constraint.allows(token) ? "hit" : "miss";
      orders.learn(result);
      return result === "hit" ? token : drawAllowed(logits, constraint);
    },
    dispose: () => sampler.dispose(),
  };
}
