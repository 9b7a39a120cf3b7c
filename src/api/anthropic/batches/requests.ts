import { z } from "zod";
import { createRefusal, GgufdError } from "../../../core/errors.js";
import { toOneLine } from "../../../core/json.js";
import { describeExcessNesting } from "../../../core/json-size.js";
import { parseInput } from "../../../validation/parse-input.js";
import { MESSAGES_PATH } from "../error-envelope.js";

const idError = "expected a string of 1 to 64 letters, digits, - and _";

/** A request of a batch. */
export const batchedRequest = z
  .looseObject(
    {
      custom_id: z
        .string({ error: idError })
        .regex(/^[\w-]{1,64}$/, { error: idError })
        .meta({ description: "Identifies the result; unique in the batch." }),
      params: z
        .looseObject(
          { stream: z.literal(false, { error: "expected false or nothing" }).optional() },
          { error: "expected an object" },
        )
        .meta({ description: "Body of a request to `/v1/messages`." }),
    },
    { error: "expected an object with custom_id and params" },
  )
  .meta({ id: "BatchedMessageRequest" });

/** Body of `POST /v1/messages/batches`, which is read element by element. */
export const messageBatchRequest = z
  .looseObject({
    requests: z.array(batchedRequest).min(1).meta({ description: "At most 100,000 requests." }),
  })
  .meta({ id: "MessageBatchRequest" });

/** Maximum number of requests of a batch: Anthropic's limit. */
export const MAX_REQUESTS = 100_000;

/** Finds the source text of a member of an object. */
export type FindMemberText = (value: object, json: string, name: string) => string | undefined;

/** Converts requests one by one to lines of an input file. */
export class RequestLines {
  readonly #customIds = new Set<string>();
  readonly #findMemberText: FindMemberText;

  constructor(findMemberText: FindMemberText) {
    this.#findMemberText = findMemberText;
  }

  get count(): number {
    return this.#customIds.size;
  }

  /**
   * @returns one line with its line break
   * @throws {GgufdError} `invalid_json`, `invalid_request`
   */
  toLine(bytes: Buffer): Buffer {
    const field = `requests.${this.count}`;
    if (this.count >= MAX_REQUESTS) {
      const reason = `expected at most ${MAX_REQUESTS} requests, got more`;
      throw createRefusal("invalid_request", [{ field: "requests", reason }]);
    }
    const nesting = describeExcessNesting(bytes);
    if (nesting !== undefined) throw new GgufdError("invalid_json", `${field}: ${nesting}.`);
    const [value, text] = parseJson(bytes, field);
    const { custom_id: customId, params } = parseRequest(value, field);
    if (this.#customIds.has(customId)) {
      const reason = `expected a unique value, got ${JSON.stringify(customId)} again`;
      throw createRefusal("invalid_request", [{ field: `${field}.custom_id`, reason }]);
    }
    this.#customIds.add(customId);
    const paramsText = this.#findMemberText(value as object, text, "params");
    const body = toOneLine(paramsText ?? JSON.stringify(params));
    return Buffer.from(
      `{"custom_id":"${customId}","method":"POST","url":"${MESSAGES_PATH}","body":${body}}\n`,
    );
  }
}

function parseRequest(value: unknown, field: string): z.output<typeof batchedRequest> {
  try {
    return parseInput(batchedRequest, value, { code: "invalid_request", inputName: "" });
  } catch (error) {
    if (!(error instanceof GgufdError)) throw error;
    const details = error.details.map((one) => ({
      ...one,
      field: one.field === "" ? field : `${field}.${one.field}`,
    }));
    throw createRefusal("invalid_request", details);
  }
}

function parseJson(bytes: Buffer, field: string): readonly [value: unknown, text: string] {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return [JSON.parse(text), text];
  } catch (cause) {
    throw new GgufdError("invalid_json", `${field}: expected JSON in UTF-8.`, { cause });
  }
}
