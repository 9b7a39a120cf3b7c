import type { Caller } from "../../src/core/caller.js";
import { GgufdError } from "../../src/core/errors.js";
import type { EmbeddingModel, RerankingModel } from "../../src/core/model-directory.js";
import type {
  EmbeddingDescription,
  PooledContent,
  PooledInput,
  PoolingAnswer,
  PoolingRequest,
  PoolingService,
} from "../../src/core/pooling.js";
import { ScriptedEngine } from "./scripted-engine.js";

/** Outcome of a request: an answer, an error, or nothing until it is aborted. */
export type PoolingEnding = "answered" | "never" | Error;

export interface ScriptedPoolingOptions {
  /** Components of an input's vector, after it has been truncated to the context. */
  readonly vectorOf: (content: PooledContent) => readonly number[];
  /** @default every request is answered */
  readonly endingOf?: (request: PoolingRequest) => PoolingEnding;
  readonly contextSize?: number;
}

/** Tokens that the scripted model adds to a text, and to a pair. */
const SPECIAL_TOKENS = 2;

/** Pools without a model: every character is a token, and vectors are by a function of the input. */
export class ScriptedPooling implements PoolingService {
  readonly requests: PoolingRequest[] = [];
  /** Requests that were aborted, by id. */
  readonly aborted: string[] = [];
  readonly contextSize: number;
  readonly #options: ScriptedPoolingOptions;

  constructor(options: ScriptedPoolingOptions) {
    this.#options = options;
    this.contextSize = options.contextSize ?? 1_000;
  }

  async pool(request: PoolingRequest, { signal }: Caller): Promise<PoolingAnswer> {
    this.requests.push(request);
    const { endingOf = () => "answered", vectorOf } = this.#options;
    const ending = endingOf(request);
    if (ending instanceof Error) throw ending;
    if (ending === "never") return this.#untilAborted(request, signal);
    const contents = request.inputs.map((input) => this.#fitting(input, request));
    return {
      vectors: contents.map((content) => Float32Array.from(vectorOf(content))),
      promptTokens: contents.reduce((sum, content) => sum + tokensIn(content), 0),
    };
  }

  #untilAborted({ id }: PoolingRequest, signal: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      const abort = () => {
        this.aborted.push(id);
        reject(signal.reason);
      };
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }

  #fitting(
    { content, field }: PooledInput,
    { overlongInputs: tooLong, maxInputTokens = this.contextSize }: PoolingRequest,
  ): PooledContent {
    const tokens = tokensIn(content);
    const maxTokens = Math.min(this.contextSize, maxInputTokens);
    if (tokens <= maxTokens) return content;
    if (tooLong === "refused") {
      const reason = `expected at most ${maxTokens} tokens, including special tokens, got ${tokens}`;
      throw new GgufdError("context_length_exceeded", `${field}: ${reason}.`, {
        param: field,
        details: [{ field, reason }],
      });
    }
    const excess = tokens - maxTokens;
    const kept = (text: string) =>
      tooLong === "cut-at-end" ? text.slice(0, -excess) : text.slice(excess);
    switch (content.type) {
      case "text":
        return { ...content, text: kept(content.text) };
      case "tokens":
        return { ...content, tokens: content.tokens.slice(0, this.contextSize) };
      case "mixed":
        return content;
      case "pair":
        return { ...content, document: kept(content.document) };
    }
  }
}

function tokensIn(content: PooledContent): number {
  switch (content.type) {
    case "text":
      return content.text.length + SPECIAL_TOKENS;
    case "tokens":
      return content.tokens.length;
    case "mixed":
      return content.parts.length;
    case "pair":
      return content.query.length + content.document.length + SPECIAL_TOKENS;
  }
}

/** The model of the scripted vectors and scores. */
function modelOf(alias: string, contextSize: number) {
  return {
    path: `/models/${alias}.gguf`,
    name: alias,
    architecture: "bert",
    parameters: 1_000,
    sizeBytes: 2_000,
    trainContextSize: contextSize,
    contextSize,
    vocabularySize: 256,
    fingerprint: "ggufd_scripted",
  };
}

const shared = {
  createdAt: 1_700_000_000,
  texts: new ScriptedEngine(() => ({ parts: [] })),
};
const engine = {
  sequences: 8,
  threads: { decode: 1, prefill: 1 },
  memory: { cpuBytes: 3_000, gpuBytes: 0 },
  device: "CPU",
  build: "prebuilt",
} as const;

/** An embedding model over a scripted service. */
export function embeddingModel(
  pooling: ScriptedPooling,
  {
    alias = "embedder",
    dimensions = 4,
    method = "mean",
  }: { alias?: string; dimensions?: number; method?: EmbeddingDescription["pooling"] } = {},
): EmbeddingModel {
  const model = modelOf(alias, pooling.contextSize);
  const description = { kind: "embedding", pooling: method, dimensions, model, ...engine } as const;
  return { kind: "embedding", alias, engine: description, pooling, ...shared };
}

/** A reranking model over a scripted service. */
export function rerankingModel(
  pooling: ScriptedPooling,
  {
    alias = "ranker",
    scoreScale = "logit",
  }: { alias?: string; scoreScale?: "logit" | "probability" } = {},
): RerankingModel {
  const model = modelOf(alias, pooling.contextSize);
  const description = { kind: "reranking", pooling: "rank", scoreScale, model, ...engine } as const;
  return { kind: "reranking", alias, engine: description, pooling, ...shared };
}

/** Vector of four components that depends on the text. */
export function vectorOfText(content: PooledContent): readonly number[] {
  if (content.type === "pair") throw new Error("an embedding model reads no pairs");
  const codes =
    content.type === "text"
      ? Array.from(content.text, (character) => character.charCodeAt(0))
      : content.type === "mixed"
        ? content.parts.flatMap((part) =>
            typeof part === "string" ? Array.from(part, (one) => one.charCodeAt(0)) : [part],
          )
        : content.tokens;
  const sum = codes.reduce((total, code) => total + code, 0);
  return [codes.length, -(codes[0] ?? 0), sum % 97, 3];
}

/** A logit: a document that contains the query has to do with it. */
export function logitOfPair(content: PooledContent): readonly number[] {
  if (content.type !== "pair") throw new Error("a reranking model reads pairs");
  const { query, document } = content;
  return [document.includes(query) ? 2 : -1 - document.length / 100];
}
