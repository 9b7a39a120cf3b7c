import assert from "node:assert/strict";
import { type MediaCells, type PlacedMedia, placeMedia } from "../../core/media.js";
import type { AppliedAdapter } from "../native/token-context.js";
import { measureCommonPrefix } from "./common-prefix.js";

/** A part of a prompt. */
export type PromptSegment =
  | { readonly type: "tokens"; readonly tokens: readonly number[] }
  | MediaCells;

/**
 * Everything that determines the keys and values of a prompt, apart from the model: two prompts share the KV cache
 * cells of the common prefix of their identities, and no others. Lengths and positions are in cells; a token takes one
 * cell.
 */
export interface PromptIdentity {
  readonly adapters: AdapterSet;
  /** The token of each cell, or `MEDIA_CELL`; a flat list, so that identities are compared by a loop over numbers. */
  readonly cells: readonly number[];
  /** The media of the media cells, in order. */
  readonly media: readonly PlacedMedia[];
}

/** An identity that is extended and truncated in place. */
export interface GrowingIdentity extends PromptIdentity {
  readonly cells: number[];
  readonly media: PlacedMedia[];
}

const NO_MEDIA: readonly PlacedMedia[] = [];

/** Creates the identity of a prompt of tokens without adapters. The list is not copied. */
export function createTokenIdentity(tokens: readonly number[]): PromptIdentity {
  return { adapters: noAdapters, cells: tokens, media: NO_MEDIA };
}

/** Creates the identity of a prompt with the given segments and adapters. */
export function createSegmentIdentity(
  segments: readonly PromptSegment[],
  adapters: AdapterSet = noAdapters,
): GrowingIdentity {
  const identity = createEmptyIdentity(adapters);
  for (const segment of segments) append(identity, segment);
  return identity;
}

/** Creates the identity of an empty prompt. */
export function createEmptyIdentity(adapters: AdapterSet = noAdapters): GrowingIdentity {
  return { adapters, cells: [], media: [] };
}

/** Returns a mutable copy of an identity. */
export function copyIdentity({ adapters, cells, media }: PromptIdentity): GrowingIdentity {
  return { adapters, cells: [...cells], media: [...media] };
}

/**
 * Appends a segment.
 * @returns the number of cells that it takes
 */
export function append(identity: GrowingIdentity, segment: PromptSegment): number {
  const { cells } = identity;
  if (segment.type === "tokens") {
    cells.push(...segment.tokens);
    return segment.tokens.length;
  }
  const { cells: count } = segment;
  assert(
    Number.isInteger(count) && count > 0,
    "a media segment needs a positive integer number of cells",
  );
  placeMedia(identity, segment);
  return count;
}

/** Truncates an identity to its first `length` cells; media must not be split. */
export function truncate(identity: GrowingIdentity, length: number): void {
  const { cells, media } = identity;
  assert(
    findLastCut(identity, length) === length,
    `cannot cut a prompt within a media segment, at ${length}`,
  );
  cells.length = length;
  while ((media.at(-1)?.start ?? -1) >= length) media.pop();
}

/** Returns the first `length` cells of a prompt; media must not be split. */
export function slicePrefix(identity: PromptIdentity, length: number): PromptIdentity {
  const { adapters, cells, media } = identity;
  assert(
    findLastCut(identity, length) === length,
    `cannot cut a prompt within a media segment, at ${length}`,
  );
  const keptMedia = media.length === 0 ? media : media.filter(({ start }) => start < length);
  return { adapters, cells: cells.slice(0, length), media: keptMedia };
}

/**
 * Returns the greatest length up to `length` that a prompt can be cut to: between tokens, or where media begin or end.
 */
export function findLastCut({ media }: PromptIdentity, length: number): number {
  const cut = media.find(({ start, cells }) => start < length && length < start + cells);
  return cut?.start ?? length;
}

/** Returns the length of the longest common prefix of two prompts, in which the adapters agree and media are whole. */
export function countCommonCells(a: PromptIdentity, b: PromptIdentity): number {
  const agreedLength = countAgreedCells(a.adapters, b.adapters);
  if (agreedLength === 0) return 0;
  const length = Math.min(agreedLength, measureCommonPrefix(a.cells, b.cells));
  for (let index = 0; ; index++) {
    const one = a.media[index];
    const other = b.media[index];
    if (one === undefined && other === undefined) return findLastCut(a, length);
    const areSame =
      one?.start === other?.start && one?.hash === other?.hash && one?.cells === other?.cells;
    if (!areSame) return findLastCut(a, Math.min(length, startOf(one), startOf(other)));
  }
}

/** Whether two prompts are identical. */
export function areSame(a: PromptIdentity, b: PromptIdentity): boolean {
  const { length } = a.cells;
  return (
    length === b.cells.length &&
    a.adapters.key === b.adapters.key &&
    countCommonCells(a, b) === length
  );
}

/**
 * Returns the llama.cpp position of a cell; media may advance positions by fewer than they have cells.
 * @param cell a cell at which the prompt can be cut
 */
export function computePosition({ media }: Pick<PromptIdentity, "media">, cell: number): number {
  let position = cell;
  for (const { start, cells, positions } of media) {
    if (start >= cell) break;
    position -= cells - positions;
  }
  return position;
}

/** Returns the segments of a prompt; consecutive tokens form one segment. */
export function splitIntoSegments({ cells, media }: PromptIdentity): PromptSegment[] {
  const segments: PromptSegment[] = [];
  let end = 0;
  const addTokens = (to: number) => {
    if (to > end) segments.push({ type: "tokens", tokens: cells.slice(end, to) });
  };
  for (const { start, hash, cells: count, positions } of media) {
    addTokens(start);
    segments.push({ type: "media", hash, cells: count, positions });
    end = start + count;
  }
  addTokens(cells.length);
  return segments;
}

function startOf(media: PlacedMedia | undefined): number {
  return media?.start ?? Number.POSITIVE_INFINITY;
}

/**
 * A LoRA adapter applied to the model. Its id does not depend on the path, because an identity outlives the process and
 * the file at a path may change.
 */
export type Adapter = AppliedAdapter;

/** The adapters that keys and values are computed under; order does not matter. */
export interface AdapterSet {
  /** Ascending by id; scale 0 does not occur. */
  readonly adapters: readonly Adapter[];
  /** First cell that the adapters apply to (activated LoRA); earlier cells are computed by the base model. */
  readonly from: number;
  /** Equal only for equal sets that apply from the same cell. */
  readonly key: string;
}

/**
 * Creates a set of adapters. Adapters of scale 0 are dropped, because they have no effect.
 * @param from see {@link AdapterSet}
 */
export function createAdapterSet(adapters: readonly Adapter[], from = 0): AdapterSet {
  assert(Number.isInteger(from) && from >= 0, `invalid first cell of adapters: ${from}`);
  const appliedAdapters = adapters
    .filter(({ scale }) => scale !== 0)
    .map(({ id, scale }) => ({ id, scale }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const [index, { id, scale }] of appliedAdapters.entries()) {
    assert(Number.isFinite(scale), `invalid scale of adapter ${id}: ${scale}`);
    assert(id !== appliedAdapters[index + 1]?.id, `the adapter ${id} is applied twice`);
  }
  const key = JSON.stringify(appliedAdapters.map(({ id, scale }) => [id, scale]));
  if (appliedAdapters.length === 0 || from === 0)
    return { adapters: appliedAdapters, from: 0, key };
  return { adapters: appliedAdapters, from, key: `${key} from ${from}` };
}

/** Returns the number of leading cells that two adapter sets compute under the same adapters. */
export function countAgreedCells(a: AdapterSet, b: AdapterSet): number {
  return a.key === b.key
    ? Number.POSITIVE_INFINITY
    : Math.min(countBaseCells(a), countBaseCells(b));
}

/** Returns the number of leading cells that are computed by the base model. */
function countBaseCells({ adapters, from }: AdapterSet): number {
  return adapters.length === 0 ? Number.POSITIVE_INFINITY : from;
}

/** The empty set: the base model. */
export const noAdapters: AdapterSet = createAdapterSet([]);

/**
 * A prompt's identity as stored in a manifest. A prompt of tokens without adapters keeps the original format, so that
 * its checksum is unchanged; older versions, which only know that format, find no `tokens` in the other.
 */
export type SerialisedPrompt =
  | { readonly tokens: readonly number[] }
  | {
      readonly adapters: readonly Adapter[];
      /** See {@link AdapterSet}; absent: 0. */
      readonly from?: number;
      readonly segments: readonly PromptSegment[];
    };

export function serialisePrompt(prompt: PromptIdentity): SerialisedPrompt {
  const { adapters, from } = prompt.adapters;
  if (adapters.length === 0 && prompt.media.length === 0) return { tokens: prompt.cells };
  return { adapters, ...(from > 0 && { from }), segments: splitIntoSegments(prompt) };
}

/**
 * Parses the output of {@link serialisePrompt}.
 * @returns `undefined` for any other value, and for an empty prompt
 */
export function parsePrompt(value: Readonly<Record<string, unknown>>): PromptIdentity | undefined {
  const prompt = "tokens" in value ? parseTokens(value.tokens) : parseSegments(value);
  return prompt === undefined || prompt.cells.length === 0 ? undefined : prompt;
}

function parseTokens(tokens: unknown): PromptIdentity | undefined {
  return areTokens(tokens) ? createTokenIdentity(tokens) : undefined;
}

function parseSegments({
  adapters,
  from = 0,
  segments,
}: Readonly<Record<string, unknown>>): PromptIdentity | undefined {
  if (!Array.isArray(adapters) || !adapters.every(isAdapter)) return undefined;
  if (!Array.isArray(segments) || !segments.every(isSegment)) return undefined;
  if (!Number.isSafeInteger(from) || Number(from) < 0) return undefined;
  return createSegmentIdentity(segments, createAdapterSet(adapters, Number(from)));
}

function isAdapter(value: unknown): value is Adapter {
  return isRecord(value) && typeof value.id === "string" && Number.isFinite(value.scale);
}

function isSegment(value: unknown): value is PromptSegment {
  if (!isRecord(value)) return false;
  if (value.type === "tokens") return areTokens(value.tokens);
  const { type, hash, cells, positions } = value;
  return type === "media" && typeof hash === "string" && isCount(cells) && isCount(positions);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function areTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(Number.isInteger);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
