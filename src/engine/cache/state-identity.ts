import { createHash } from "node:crypto";

/** What determines a state beside its prompt. */
export interface StateOrigin {
  /** Of the server, and of the library whose format a state has. */
  readonly versions: readonly string[];
  /** A hash of the model's content. */
  readonly model: string;
  readonly kvCacheType: string;
  /** Values are stored transposed where attention is not fused. */
  readonly attention: "flash" | "plain";
  readonly layout: "split" | "unified";
  /** Streams of the cache: a state names each of them. */
  readonly streams: number;
  /** Tokens of a context, where its length matters. */
  readonly contextSize?: number | undefined;
}

/** A name for states of one origin, which no other one has. */
export function stateIdentity(origin: StateOrigin): string {
  const { versions, model, kvCacheType, attention, layout, streams, contextSize = 0 } = origin;
  const facts = [versions, model, kvCacheType, attention, layout, streams, contextSize];
  const hash = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 24);
  return `${hash}-${kvCacheType}-${attention}-${layout}`;
}
