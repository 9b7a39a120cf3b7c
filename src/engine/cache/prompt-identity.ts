import assert from "node:assert/strict";
import { type MediaCells, type PlacedMedia, placeMedia } from "../../core/media.js";
import type { AppliedAdapter } from "../native/token-context.js";
import { commonPrefixLength } from "./common-prefix.js";

/** A part of a prompt. */
export type PromptSegment =
  | { readonly type: "tokens"; readonly tokens: readonly number[] }
  | MediaCells;

/**
 * All that the keys and values of a prompt are computed from, beside the model: two prompts share those of a
 * common prefix of their identities, and no others. Lengths and positions are in cells: a token takes one.
 */
export interface PromptIdentity {
  readonly adapters: AdapterSet;
  /** By cell: its token, or `MEDIA_CELL`. So identities are compared by a loop over numbers. */
  readonly cells: readonly number[];
  /** Which media those cells are of, in their order. */
  readonly media: readonly PlacedMedia[];
}

/** An identity that grows and is cut in place. */
export interface GrowingIdentity extends PromptIdentity {
  readonly cells: number[];
  readonly media: PlacedMedia[];
}

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
  const { cells: count } = segment;
  assert(Number.isInteger(count) && count > 0, "a media segment takes cells, and whole ones");
  placeMedia(identity, segment);
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

/** Length of the longest common prefix of two prompts: as far as their adapters agree, and media whole or not at all. */
export function commonCells(a: PromptIdentity, b: PromptIdentity): number {
  const agreed = agreedCells(a.adapters, b.adapters);
  if (agreed === 0) return 0;
  const length = Math.min(agreed, commonPrefixLength(a.cells, b.cells));
  for (let index = 0; ; index++) {
    const one = a.media[index];
    const other = b.media[index];
    if (one === undefined && other === undefined) return lastCut(a, length);
    const areSame =
      one?.start === other?.start && one?.hash === other?.hash && one?.cells === other?.cells;
    if (!areSame) return lastCut(a, Math.min(length, startOf(one), startOf(other)));
  }
}

/** Whether two prompts are the same. */
export function areSame(a: PromptIdentity, b: PromptIdentity): boolean {
  const { length } = a.cells;
  return (
    length === b.cells.length && a.adapters.key === b.adapters.key && commonCells(a, b) === length
  );
}

/**
 * The position of a cell in llama.cpp: media may advance positions by fewer than they have cells.
 * @param cell where the prompt can be cut
 */
export function positionOf({ media }: Pick<PromptIdentity, "media">, cell: number): number {
  let position = cell;
  for (const { start, cells, positions } of media) {
    if (start >= cell) break;
    position -= cells - positions;
  }
  return position;
}

/** The segments of a prompt, neighbouring tokens in one. */
export function segmentsOf({ cells, media }: PromptIdentity): PromptSegment[] {
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

/** An adapter (LoRA) that is applied to the model. An identity outlives the process, and a path may become another file. */
export type Adapter = AppliedAdapter;

/** The adapters that keys and values are computed under, in no order. */
export interface AdapterSet {
  /** Ascending by id; none has the scale 0. */
  readonly adapters: readonly Adapter[];
  /** The cell that they apply from (activated LoRA): those before it are computed by the model as it is. */
  readonly from: number;
  /** Equal for equal sets that apply from the same cell, and for no others. */
  readonly key: string;
}

/**
 * A set of adapters. Those of scale 0 are left out: they change nothing.
 * @param from see {@link AdapterSet}
 */
export function adapterSet(adapters: readonly Adapter[], from = 0): AdapterSet {
  assert(Number.isInteger(from) && from >= 0, `adapters apply from the cell ${from}`);
  const applied = adapters
    .filter(({ scale }) => scale !== 0)
    .map(({ id, scale }) => ({ id, scale }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const [index, { id, scale }] of applied.entries()) {
    assert(Number.isFinite(scale), `the adapter ${id} has the scale ${scale}`);
    assert(id !== applied[index + 1]?.id, `the adapter ${id} is applied twice`);
  }
  const key = JSON.stringify(applied.map(({ id, scale }) => [id, scale]));
  if (applied.length === 0 || from === 0) return { adapters: applied, from: 0, key };
  return { adapters: applied, from, key: `${key} from ${from}` };
}

/** How many cells, from the first one on, are computed under the same adapters by two sets. */
export function agreedCells(a: AdapterSet, b: AdapterSet): number {
  return a.key === b.key ? Number.POSITIVE_INFINITY : Math.min(plainCells(a), plainCells(b));
}

/** Cells that are computed by the model as it is. */
function plainCells({ adapters, from }: AdapterSet): number {
  return adapters.length === 0 ? Number.POSITIVE_INFINITY : from;
}

/** The model as it is. */
export const noAdapters: AdapterSet = adapterSet([]);

/**
 * A prompt's identity as a manifest has it. One of tokens alone, without adapters, is kept as it was before there
 * were others, so that its checksum is the same; what only knows those finds no `tokens` in the others.
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
  return { adapters, ...(from > 0 && { from }), segments: segmentsOf(prompt) };
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
  from = 0,
  segments,
}: Readonly<Record<string, unknown>>): PromptIdentity | undefined {
  if (!Array.isArray(adapters) || !adapters.every(isAdapter)) return undefined;
  if (!Array.isArray(segments) || !segments.every(isSegment)) return undefined;
  if (!Number.isSafeInteger(from) || Number(from) < 0) return undefined;
  return identityOfSegments(segments, adapterSet(adapters, Number(from)));
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
