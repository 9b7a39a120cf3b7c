/** Requests for completions of plain prompts, for tokens, and for comparisons of texts. */
import { type BodyBuilder, filled, listed, listOf, type Members, object } from "./stalls-body.js";
import { posted, type WorstRequests } from "./stalls-request.js";
import { awkwardTexts } from "./stalls-text-bodies.js";

/**
 * Number of prompts that fill a body, none of which fits; fitting ones would be read for minutes.
 */
const LONG_PROMPTS = 200;
/**
 * Maximum number of prompts, from `src/api/openai/completions/schema.ts` and
 * `src/api/llama-server/schema.ts`.
 */
const PROMPTS = 1_000;
const CHOICES = "16";
const PROBABILITIES = "20";
/**
 * Maximum number of files of `src/api/openai/infill/schema.ts`, and of documents to rank and
 * compare.
 */
const FILES = 1_000;
const DOCUMENTS = 1_000;
/** Maximum number of inputs, from `src/api/pooling/embeddings/schema.ts`. */
const INPUTS = 2_048;
/** Characters of a tokenised text per byte of a body: 2^20 of 4 MiB. */
const CHARACTERS_PER_BYTE = 1 / 4;

/** Tokens of an answer that is short enough not to delay other clients' streams for long. */
const answerTokens = (contextSize: number) => String(Math.floor(contextSize / 64));

/** Builds a list of as many texts as allowed, which fill the body. */
const texts =
  (count: number, body: (items: string) => string): BodyBuilder =>
  ({ bytes }) => {
    const text = filled((bytes - body("").length) / count - 1, "able ", (able) => `"${able}"`);
    return body(listOf(count, () => text));
  };
const ids =
  (body: (items: string) => string): BodyBuilder =>
  ({ values }) =>
    listed({ values, items: Number.POSITIVE_INFINITY }, () => "5", body);

const completions = (members: Members) => object({ max_tokens: "1", ...members });
const completionRequests = posted("/v1/completions", {
  "long prompts": texts(LONG_PROMPTS, (prompts) => completions({ prompt: `[${prompts}]` })),
  "most prompts, most choices": () =>
    completions({ prompt: `[${listOf(PROMPTS, () => '"a"')}]`, n: CHOICES, best_of: CHOICES }),
  "most token ids": ids((tokens) => completions({ prompt: `[${tokens}]` })),
  "lists of token ids": ids((tokens) => completions({ prompt: `[[${tokens}],[5]]` })),
  "log-probabilities of a prompt": ({ fittingText }) =>
    object({ prompt: `"${fittingText}"`, echo: "true", logprobs: PROBABILITIES, max_tokens: "0" }),
  "most log-probabilities": ({ contextSize }) =>
    object({
      ...{ prompt: '"a"', logprobs: PROBABILITIES, max_tokens: answerTokens(contextSize) },
      ...{ ignore_eos: "true", n: "4" },
    }),
});

const nativeRequests = ["/completion", "/completions"].map((path) => {
  const native = (members: Members) => object({ n_predict: "1", ...members });
  return posted(path, {
    "long prompts": texts(LONG_PROMPTS, (prompts) => native({ prompt: `[${prompts}]` })),
    "most texts and token ids": ({ values }) =>
      listed(
        { values, items: Number.POSITIVE_INFINITY },
        () => '"a",5',
        (parts) => native({ prompt: `[${parts}]` }),
      ),
    "most lists": ({ values }) =>
      listed(
        { values, items: Number.POSITIVE_INFINITY },
        () => "[5]",
        (prompts) => native({ prompt: `[${prompts}]` }),
      ),
    "most probabilities": ({ contextSize }) =>
      object({
        ...{ prompt: '"a"', n_probs: PROBABILITIES, n_predict: answerTokens(contextSize) },
        ...{ ignore_eos: "true", n: "4" },
      }),
  });
});

const infill = (files: string) =>
  object({ input_prefix: '"a"', input_suffix: '"b"', input_extra: `[${files}]`, n_predict: "1" });
const infillRequests = posted("/infill", {
  "most files": ({ bytes }) => {
    const file = filled((bytes - infill("").length) / FILES - 1, "able ", (text) =>
      object({ filename: '"f"', text: `"${text}"` }),
    );
    return infill(listOf(FILES, () => file));
  },
});

const tokenized = (members: Members) => (text: string) =>
  object({ ...members, content: `"${text}"` });
/** Builds a text of this many characters from units of one or more characters. */
const tokenizedText =
  (unit: string, members: Members): BodyBuilder =>
  ({ bytes }) => {
    const characters = bytes * CHARACTERS_PER_BYTE;
    const length = (JSON.parse(`"${unit}"`) as string).length;
    return tokenized(members)(unit.repeat(Math.floor(characters / length)));
  };
const tokenRequests = {
  ...posted("/tokenize", {
    ...Object.fromEntries(
      Object.entries(awkwardTexts).map(([name, unit]) => [name, tokenizedText(unit, {})]),
    ),
    "200,000 accented letters with pieces": ({ bytes }) =>
      tokenized({ with_pieces: "true" })(
        "é".repeat(Math.min(200_000, bytes * CHARACTERS_PER_BYTE)),
      ),
    "most accented letters with pieces": tokenizedText("é", { with_pieces: "true" }),
    "most emoji with pieces and texts": tokenizedText("🙂", {
      with_pieces: "true",
      return_token_strs: "true",
    }),
  }),
  ...posted("/detokenize", {
    "most tokens": ids((tokens) => `{"tokens":[${tokens}]}`),
    "last token unknown": ids((tokens) => `{"tokens":[${tokens},${2 ** 31}]}`),
    "all tokens wrong": ({ values }) =>
      listed(
        { values, items: Number.POSITIVE_INFINITY },
        () => '"a"',
        (tokens) => `{"tokens":[${tokens}]}`,
      ),
  }),
};

const embeddings = (input: string) => `{"input":[${input}]}`;
const embeddingRequests = {
  ...posted("/v1/embeddings", {
    "most inputs": texts(INPUTS, embeddings),
    "most token ids": ids(embeddings),
    "lists of token ids": ids((tokens) => embeddings(`[${tokens}],[5]`)),
  }),
  ...posted("/embedding", { "most token ids": ids(embeddings) }),
  ...posted("/embeddings", { "most inputs": texts(INPUTS, embeddings) }),
  ...posted("/api/embed", { "most inputs": texts(INPUTS, embeddings) }),
};

const ranked = ["/v1/rerank", "/v2/rerank", "/rerank"].map((path) =>
  posted(path, {
    "most documents": texts(
      DOCUMENTS,
      (documents) => `{"query":"a","return_documents":true,"documents":[${documents}]}`,
    ),
  }),
);
const scored = posted("/v1/score", {
  "most pairs": texts(DOCUMENTS, (all) => `{"text_1":"a","text_2":[${all}]}`),
});

export const textRequests: WorstRequests = Object.assign(
  {},
  completionRequests,
  ...nativeRequests,
  infillRequests,
  tokenRequests,
  embeddingRequests,
  ...ranked,
  scored,
);
