import { access } from "../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { createDisconnectSignal } from "../../http/caller.js";
import { parseInput } from "../../validation/parse-input.js";
import type { DescribedRoute, LibraryContext } from "../description/described-route.js";
import { internalError } from "../description/example-errors.js";
import { jsonResponse } from "../description/responses.js";
import { hubSearchResult, QUERY_ERROR, searchQuery, toHubSearchResult } from "./hub-search.js";

/** Searches the Hugging Face hub for models that the server can download. */
export const searchRoute: DescribedRoute<LibraryContext> = {
  method: "GET",
  path: "/v1/models/search",
  access: access.admin,
  description: {
    operationId: "searchModels",
    summary: "Search the Hugging Face hub for models",
    description:
      "Lists repositories with GGUF files, and their models, which `POST /models` downloads. Takes at most ten seconds.",
    requestParams: { query: searchQuery },
    responses: {
      200: jsonResponse({
        description: "The repositories.",
        schema: hubSearchResult,
        example: {
          object: "list",
          hub: "https://huggingface.co",
          memory_budget: 17179869184,
          data: [
            {
              id: "ggml-org/gemma-3-4b-it-GGUF",
              downloads: 120000,
              likes: 60,
              license: "gemma",
              is_gated: false,
              task: "image-text-to-text",
              architecture: "gemma3",
              n_params: 3880099328,
              n_ctx_train: 131072,
              quantizations: [
                {
                  model: "hf:ggml-org/gemma-3-4b-it-GGUF:Q4_K_M",
                  quantization: "Q4_K_M",
                  size: 3341205344,
                  has_projector: true,
                  estimated_memory: 3842386146,
                  fits: true,
                },
              ],
            },
          ],
        },
      }),
    },
    errors: [
      createRefusal("invalid_request", [{ field: "query", reason: `${QUERY_ERROR}, got ""` }]),
      new GgufdError(
        "unsupported_operation",
        "Downloads are disabled: the server was started with --offline.",
      ),
      new GgufdError(
        "pull_failed",
        "The hub cannot be searched: huggingface.co: getaddrinfo ENOTFOUND huggingface.co.",
      ),
      internalError,
    ],
  },
  async handle({ library }, request, reply) {
    const { query: text, limit } = parseInput(searchQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const found = await library.searchHub({ text, limit }, createDisconnectSignal(reply));
    return toHubSearchResult(found);
  },
};
