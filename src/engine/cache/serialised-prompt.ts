import { type Adapter, adapterSet } from "./adapter-set.js";
import {
  identityOfSegments,
  type PromptIdentity,
  type PromptSegment,
  segmentsOf,
  tokensOnly,
} from "./prompt-identity.js";

/**
 * A prompt's identity as a manifest has it. One of tokens alone, without adapters, is kept as it was before there
 * were others, so that its checksum is the same; what only knows those finds no `tokens` in the others.
 */
export type SerialisedPrompt =
  | { readonly tokens: readonly number[] }
  | { readonly adapters: readonly Adapter[]; readonly segments: readonly PromptSegment[] };

export function serialisePrompt(prompt: PromptIdentity): SerialisedPrompt {
  const { adapters } = prompt.adapters;
  if (adapters.length === 0 && prompt.media.length === 0) return { tokens: prompt.cells };
  return { adapters, segments: segmentsOf(prompt) };
}

/**
 * Reads what {@link serialisePrompt} has written.
 * @returns `undefined` for anything else, and for a prompt that is empty
 */
export function parsePrompt(value: Readonly<Record<string, unknown>>): PromptIdentity | undefined {
  const prompt = "tokens" in value ? parseTokens(value.tokens) : parseSegments(value);
  return prompt === undefined || prompt.cells.length === 0 ? undefined : prompt;
}

function parseTokens(tokens: unknown): PromptIdentity | undefined {
  return areTokens(tokens) ? tokensOnly(tokens) : undefined;
}

function parseSegments({
  adapters,
  segments,
}: Readonly<Record<string, unknown>>): PromptIdentity | undefined {
  if (!Array.isArray(adapters) || !adapters.every(isAdapter)) return undefined;
  if (!Array.isArray(segments) || !segments.every(isSegment)) return undefined;
  return identityOfSegments(segments, adapterSet(adapters));
}

function isAdapter(value: unknown): value is Adapter {
  return isRecord(value) && typeof value.id === "string" && Number.isFinite(value.scale);
}

function isSegment(value: unknown): value is PromptSegment {
  if (!isRecord(value)) return false;
  if (value.type === "tokens") return areTokens(value.tokens);
  const { type, hash, cells } = value;
  return (
    type === "media" && typeof hash === "string" && Number.isSafeInteger(cells) && Number(cells) > 0
  );
}

function areTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(Number.isInteger);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
