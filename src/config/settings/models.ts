import { TOOL_FORMATS } from "../../core/output-format.js";
import { integerBetween, nonEmptyText, oneOf, trueOrFalse } from "../../validation/fields.js";
import type { Setting } from "./setting.js";

/** What is served, under which names. */
export const modelsSettings = {
  model: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "PATH",
    help: "GGUF model file to serve (default: the small model shipped with ggufd)",
  },
  alias: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "NAME",
    help: "model name in the API (default: the file name without .gguf)",
  },
  embeddingModel: {
    schema: nonEmptyText().optional(),
    factOf: ["embedding"],
    form: "text",
    placeholder: "PATH",
    help: "GGUF embedding model to serve beside the model, for /v1/embeddings (default: none)",
  },
  embeddingAlias: {
    schema: nonEmptyText().optional(),
    factOf: ["embedding"],
    form: "text",
    placeholder: "NAME",
    help: "name of the embedding model in the API (default: the file name without .gguf)",
  },
  embeddingPooling: {
    schema: oneOf(["auto", "mean", "cls", "last"]).default("auto"),
    factOf: ["embedding"],
    form: "text",
    placeholder: "auto|mean|cls|last",
    help: "how an embedding model makes one vector of a text; auto does as its file says",
  },
  rerankingModel: {
    schema: nonEmptyText().optional(),
    factOf: ["reranking"],
    form: "text",
    placeholder: "PATH",
    help: "GGUF reranking model to serve beside the model, for /v1/rerank (default: none)",
  },
  rerankingAlias: {
    schema: nonEmptyText().optional(),
    factOf: ["reranking"],
    form: "text",
    placeholder: "NAME",
    help: "name of the reranking model in the API (default: the file name without .gguf)",
  },
  noModel: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "without a model that generates text: only the to-do service, and other models if there are any",
  },
  acceptAnyModel: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "answer requests for any model name with the served model",
  },
  hostedTools: {
    schema: oneOf(["leave-out", "refuse"]).default("leave-out"),
    factOf: "server",
    form: "text",
    placeholder: "leave-out|refuse",
    help: "tools of a response that run on OpenAI's servers, such as web_search: the model is not told of them, or the request is refused",
  },
  toolFormat: {
    schema: oneOf(TOOL_FORMATS).default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|NAME",
    help: "how the model writes tool calls, by the names in docs/tools.md; auto finds out from its chat template",
  },
  seed: {
    schema: integerBetween(0, 0xffff_fffe).optional(),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "sampling seed of requests without one (default: random for each request)",
  },
} as const satisfies Record<string, Setting>;
