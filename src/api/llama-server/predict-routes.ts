import { setImmediate } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { isJsonObject, printJsonLine } from "../../core/json.js";
import { createDisconnectSignal } from "../../http/caller.js";
import { answerInnerRequest } from "../../http/inner-request.js";
import type { RouteGroup } from "../../http/route.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { parseBody } from "../../validation/parse-body.js";
import { preview } from "../../validation/preview.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { JSON_TYPE, jsonResponse } from "../description/responses.js";
import { toErrorEnvelope } from "../fields/error-envelope.js";

/** llama-server's limit. */
const MAX_INSTANCES = 128;

const FORMAT_FIELD = "@requestFormat";

/** Body of `POST /predict`. Instances are checked one by one. */
export const predictRequest = z
  .looseObject(
    {
      instances: boundedArray(
        z.array(z.unknown(), { error: "expected an array of instances" }).meta({
          description:
            "Requests to other routes. `@requestFormat` names the route: its path, or the path in camel case without `/v1`, such as `chatCompletions`.",
        }),
        { max: MAX_INSTANCES, of: "instances" },
      ),
    },
    { error: "expected a JSON object" },
  )
  .meta({ id: "PredictRequest" });

/** Response of `POST /predict`. */
const predictResponse = z
  .object({
    predictions: z.array(z.unknown()).meta({
      description: "For each instance, the route's answer or its error.",
    }),
  })
  .meta({ id: "PredictResponse" });

/** Paths of routes by the values of `@requestFormat` that select them. */
export type PathsByFormat = ReadonlyMap<string, string>;

/**
 * Collects the values of `@requestFormat`. In camel case, paths below `/v1` take precedence over
 * other ones: `completions` is `/v1/completions`.
 */
export function collectPathsByFormat(groups: readonly RouteGroup<never>[]): PathsByFormat {
  const paths = groups
    .flatMap(({ prefix = "", routes }) =>
      routes.map(({ method, path }) => ({ method, path: prefix + path })),
    )
    .filter(({ method, path }) => method === "POST" && !path.includes("{"))
    .map(({ path }) => path)
    .toSorted((one, other) => Number(one.startsWith("/v1/")) - Number(other.startsWith("/v1/")));
  return new Map([
    ...paths.map((path) => [toCamelCase(path), path] as const),
    ...paths.map((path) => [path, path] as const),
  ]);
}

function toCamelCase(path: string): string {
  return path
    .replace(/^(\/v1)?\//, "")
    .replaceAll(/[/_-](.?)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Creates Vertex AI's prediction route, which answers several requests to other routes at once.
 * @param groups the routes that instances can name
 */
export function createPredictRoute(groups: readonly RouteGroup<never>[]): DescribedRoute {
  const paths = collectPathsByFormat(groups);
  return {
    method: "POST",
    path: "/predict",
    access: access.inference,
    cost: "expensive",
    description: {
      operationId: "predict",
      summary: "Answer several requests (Vertex AI)",
      description:
        "Vertex AI's prediction protocol, as in llama-server. Instances are answered concurrently, without streaming; each counts as a separate request. Errors of an instance are in its prediction.",
      requestBody: jsonBody(predictRequest, {
        instances: [
          { "@requestFormat": "chatCompletions", messages: [{ role: "user", content: "Hello!" }] },
        ],
      }),
      responses: {
        200: jsonResponse({
          description: "The answers in the order of the instances.",
          schema: predictResponse,
          example: {
            predictions: [
              {
                object: "chat.completion",
                choices: [{ index: 0, message: { role: "assistant", content: "Hi!" } }],
              },
            ],
          },
        }),
      },
      errors: [
        createRefusal("invalid_request", [
          { field: "instances", reason: "expected an array of instances, got nothing" },
        ]),
      ],
    },
    async handle(_, request, reply) {
      const { instances } = await parseBody(predictRequest, request.body);
      const signal = createDisconnectSignal(reply);
      const predictions: Promise<string>[] = [];
      for (const [index, instance] of instances.entries()) {
        predictions.push(predict(instance, `instances.${index}`, { paths, request, signal }));
        await setImmediate();
      }
      const predictionTexts = await Promise.all(predictions);
      return reply.type(JSON_TYPE).send(`{"predictions":[${predictionTexts.join(",")}]}`);
    },
  };
}

interface PredictOptions {
  readonly paths: PathsByFormat;
  readonly request: FastifyRequest;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Answers an instance as a request of the same client.
 * @returns JSON text
 */
async function predict(
  instance: unknown,
  field: string,
  { paths, request, signal }: PredictOptions,
): Promise<string> {
  try {
    const { path, body } = readInstance(instance, field, paths);
    const answer = await answerInnerRequest(request, {
      path,
      body: printJsonLine({ ...body, stream: false }),
      signal,
    });
    if (answer === undefined) return "null";
    const { contentType, payload } = answer;
    return contentType.startsWith(JSON_TYPE) ? payload : JSON.stringify(payload);
  } catch (error) {
    if (!(error instanceof GgufdError)) throw error;
    return JSON.stringify(toErrorEnvelope(error, request.id));
  }
}

/** @throws {GgufdError} `invalid_request` */
function readInstance(instance: unknown, field: string, paths: PathsByFormat) {
  if (!isJsonObject(instance)) {
    const reason = `expected a JSON object, got ${preview(instance)}`;
    throw createRefusal("invalid_request", [{ field, reason }]);
  }
  const { [FORMAT_FIELD]: format, ...body } = instance;
  const path = typeof format === "string" ? paths.get(format) : undefined;
  if (path === undefined) {
    const reason = `expected a route, such as "chatCompletions" or "/v1/embeddings", got ${preview(format)}`;
    throw createRefusal("invalid_request", [{ field: `${field}.${FORMAT_FIELD}`, reason }]);
  }
  return { path, body };
}
