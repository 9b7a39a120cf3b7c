/** Requests for embeddings and scores, and comparison of the results of two servers. */

import type { RequestRecord } from "../client/request-record.js";
import { sum } from "../statistics.js";
import { zip } from "../zip.js";
import type { Load } from "./scenario.js";

/** Embedding of a text, or scores of documents. */
export type Vector = readonly number[];

export type Post = Load["post"];

interface Answer<Content> {
  readonly record: RequestRecord;
  /** `undefined` if the answer is not complete. */
  readonly content: Content | undefined;
}

interface EmbeddingsBody {
  readonly data?: readonly { readonly index: number; readonly embedding: Vector }[];
}

interface RerankBody {
  readonly results?: readonly { readonly index: number; readonly relevance_score: number }[];
}

/** Requests the embeddings of texts, in their order. */
export async function embed(
  post: Post,
  inputs: readonly string[],
): Promise<Answer<readonly Vector[]>> {
  const { record, body } = await post("embeddings", { input: inputs });
  return { record, content: vectorsIn(body, inputs.length) };
}

/**
 * Reads the embeddings of an answer, in the order of the texts.
 * @returns `undefined` if the answer is not complete
 */
export function vectorsIn(
  { data = [] }: EmbeddingsBody = {},
  count: number,
): readonly Vector[] | undefined {
  const vectors = Array.from(
    { length: count },
    (_, index) => data.find((one) => one.index === index)?.embedding,
  );
  return vectors.every(isVector) ? vectors : undefined;
}

/** Requests the scores of documents for a query, in the documents' order. */
export async function rerank(
  post: Post,
  query: string,
  documents: readonly string[],
): Promise<Answer<Vector>> {
  const { record, body } = await post("rerank", { query, documents });
  const { results = [] }: RerankBody = body ?? {};
  const scores = documents.map(
    (_, index) => results.find((one) => one.index === index)?.relevance_score,
  );
  return { record, content: isVector(scores) ? scores : undefined };
}

function isVector(values: readonly (number | undefined)[] | undefined): values is Vector {
  return values !== undefined && values.length > 0 && values.every(Number.isFinite);
}

/**
 * Lowest cosine similarity between two servers' vectors of the same texts; NaN without two servers.
 */
export function lowestCosine([ours = [], theirs = []]: readonly (readonly Vector[])[]): number {
  const pairs = zip(ours, theirs);
  if (pairs.length === 0) return Number.NaN;
  return Math.min(...pairs.map(([one, other]) => cosine(one, other)));
}

/**
 * Largest difference between two servers' scores of the same documents; NaN without two servers.
 * One of them may report probabilities, which are the sigmoids of the other's scores.
 */
export function largestDifference([ours, theirs]: readonly (readonly Vector[])[]): number {
  const [one = [], other = []] = [ours?.flat(), theirs?.flat()];
  if (one.length === 0 || other.length === 0) return Number.NaN;
  const between = (first: Vector, second: Vector) =>
    Math.max(...zip(first, second).map(([a, b]) => Math.abs(a - b)));
  return Math.min(
    between(one, other),
    between(one, other.map(sigmoid)),
    between(one.map(sigmoid), other),
  );
}

function cosine(one: Vector, other: Vector): number {
  if (one.length !== other.length) return -1;
  const dot = (first: Vector, second: Vector) => sum(zip(first, second).map(([a, b]) => a * b));
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
