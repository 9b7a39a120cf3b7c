import assert from "node:assert/strict";
import { type AdapterSet, noAdapters } from "./adapter-set.js";
import { commonPrefixLength } from "./common-prefix.js";

/** An image or a piece of audio. It has no tokens; its cells depend on each other, and are shared as a whole. */
export interface MediaSegment {
  readonly type: "media";
  /** Of its content, as the model is given it. */
  readonly hash: string;
  /** Cells that it takes, at least one. */
  readonly cells: number;
}

/** A part of a prompt. */
export type PromptSegment =
  | { readonly type: "tokens"; readonly tokens: readonly number[] }
  | MediaSegment;

/** A media segment, and the cell of the prompt that it begins at. */
export interface PlacedMedia extends Omit<MediaSegment, "type"> {
  readonly start: number;
}

/**
 * All that the keys and values of a prompt are computed from, beside the model: two prompts share those of a
 * common prefix of their identities, and no others. Lengths and positions are in cells: a token takes one.
 */
export interface PromptIdentity {
  readonly adapters: AdapterSet;
  /** By cell: its token, or {@link MEDIA_CELL}. So identities are compared by a loop over numbers. */
  readonly cells: readonly number[];
  /** Which media those cells are of, in their order. */
  readonly media: readonly PlacedMedia[];
}

/** An identity that grows and is cut in place. */
export interface GrowingIdentity extends PromptIdentity {
  readonly cells: number[];
  readonly media: PlacedMedia[];
}

/** Stands in the cells of media, and is no token. */
export const MEDIA_CELL = -1;

const NO_MEDIA: readonly PlacedMedia[] = [];

/** A prompt of tokens alone, for the model as it is. The list is not copied. */
export function tokensOnly(tokens: readonly number[]): PromptIdentity {
  return { adapters: noAdapters, cells: tokens, media: NO_MEDIA };
}

/** A prompt of these segments, under these adapters. */
export function identityOfSegments(
  segments: readonly PromptSegment[],
  adapters: AdapterSet = noAdapters,
): GrowingIdentity {
  const identity = nothing(adapters);
  for (const segment of segments) append(identity, segment);
  return identity;
}

/** A prompt without any segment. */
export function nothing(adapters: AdapterSet = noAdapters): GrowingIdentity {
  return { adapters, cells: [], media: [] };
}

/** The same, which changes on its own. */
export function copyOf({ adapters, cells, media }: PromptIdentity): GrowingIdentity {
  return { adapters, cells: [...cells], media: [...media] };
}

/**
 * Adds a segment at the end.
 * @returns how many cells it takes
 */
export function append(identity: GrowingIdentity, segment: PromptSegment): number {
  const { cells } = identity;
  if (segment.type === "tokens") {
    cells.push(...segment.tokens);
    return segment.tokens.length;
  }
  const { hash, cells: count } = segment;
  assert(Number.isInteger(count) && count > 0, "a media segment takes cells, and whole ones");
  identity.media.push({ hash, cells: count, start: cells.length });
  for (let cell = 0; cell < count; cell++) cells.push(MEDIA_CELL);
  return count;
}

/** Keeps the first `length` cells; media must be kept whole. */
export function truncate(identity: GrowingIdentity, length: number): void {
  const { cells, media } = identity;
  assert(lastCut(identity, length) === length, `a prompt is cut in a media segment, at ${length}`);
  cells.length = length;
  while ((media.at(-1)?.start ?? -1) >= length) media.pop();
}

/** The first `length` cells of a prompt; media must be kept whole. */
export function prefixOf(identity: PromptIdentity, length: number): PromptIdentity {
  const { adapters, cells, media } = identity;
  assert(lastCut(identity, length) === length, `a prompt is cut in a media segment, at ${length}`);
  const kept = media.length === 0 ? media : media.filter(({ start }) => start < length);
  return { adapters, cells: cells.slice(0, length), media: kept };
}

/** The last length, `length` at most, that a prompt can be cut to: between tokens, or where media begin or end. */
export function lastCut({ media }: PromptIdentity, length: number): number {
  const cut = media.find(({ start, cells }) => start < length && length < start + cells);
  return cut?.start ?? length;
}

/** Length of the longest common prefix of two prompts: none under other adapters, and media whole or not at all. */
export function commonCells(a: PromptIdentity, b: PromptIdentity): number {
  if (a.adapters.key !== b.adapters.key) return 0;
  const length = commonPrefixLength(a.cells, b.cells);
  for (let index = 0; ; index++) {
    const one = a.media[index];
    const other = b.media[index];
    if (one === undefined && other === undefined) return length;
    const areSame =
      one?.start === other?.start && one?.hash === other?.hash && one?.cells === other?.cells;
    if (!areSame) return Math.min(length, startOf(one), startOf(other));
  }
}

/** Whether two prompts are the same. */
export function areSame(a: PromptIdentity, b: PromptIdentity): boolean {
  const { length } = a.cells;
  return (
    length === b.cells.length && a.adapters.key === b.adapters.key && commonCells(a, b) === length
  );
}

/** The segments of a prompt, neighbouring tokens in one. */
export function segmentsOf({ cells, media }: PromptIdentity): PromptSegment[] {
  const segments: PromptSegment[] = [];
  let end = 0;
  const addTokens = (to: number) => {
    if (to > end) segments.push({ type: "tokens", tokens: cells.slice(end, to) });
  };
  for (const { start, hash, cells: count } of media) {
    addTokens(start);
    segments.push({ type: "media", hash, cells: count });
    end = start + count;
  }
  addTokens(cells.length);
  return segments;
}

function startOf(media: PlacedMedia | undefined): number {
  return media?.start ?? Number.POSITIVE_INFINITY;
}
