import { z } from "zod";
import { parseWindowMs, windowError } from "../../batches/batch.js";
import type { ReceivedContent } from "../../batches/file-store.js";
import { isJsonObject } from "../../core/json.js";
import { integerBetween, nonEmptyText, oneOf } from "../../validation/fields.js";
import { integerParameter, nonEmptyParameter, textParameter } from "../../validation/parameters.js";
import { MAX_METADATA_LENGTH, metadataField } from "../fields/metadata.js";
import { allowNullWhereOptional } from "../fields/nulls.js";

/** Form field that holds the file. */
export const FILE_FIELD = "file";

/** Limits of OpenAI's API: an hour and 30 days. */
const MIN_SECONDS = 3600;
const MAX_SECONDS = 2_592_000;

const anchor = () => oneOf(["created_at"]);

/** Uploaded file whose content is on disk. */
interface Upload {
  readonly filename: string;
  readonly content: ReceivedContent;
}

const file = z
  .custom<Upload>((value) => isJsonObject(value) && isJsonObject(value.content), {
    error: "expected a file",
  })
  .meta({
    description: "The file.",
    override: { type: "string", contentMediaType: "application/octet-stream" },
  });

/** Form of `POST /v1/files`. */
export const fileForm = z
  .looseObject(
    {
      file,
      purpose: z
        .enum(["batch", "user_data"], { error: "expected one of batch, user_data" })
        .meta({ description: "`batch`: the input of a batch." }),
      "expires_after[anchor]": z
        .enum(["created_at"], { error: "expected created_at" })
        .optional()
        .meta({ description: "Beginning of the lifetime." }),
      "expires_after[seconds]": integerParameter(MIN_SECONDS, MAX_SECONDS).optional().meta({
        description: "Lifetime in seconds. Default and maximum: `--batches-max-age`.",
      }),
    },
    { error: "expected a form" },
  )
  .meta({ id: "FileForm", description: "Unknown fields are ignored." });

const MAX_FILE_LIMIT = 10_000;
const MAX_BATCH_LIMIT = 100;

export const DEFAULT_FILE_LIMIT = MAX_FILE_LIMIT;
export const DEFAULT_BATCH_LIMIT = 20;

const after = nonEmptyParameter()
  .optional()
  .meta({ description: "Id of the last entry of the previous page." });

/** Query of `GET /v1/files`. */
export const fileListQuery = z.looseObject({
  limit: integerParameter(1, MAX_FILE_LIMIT)
    .optional()
    .meta({ description: `Maximum number of files. Default: ${DEFAULT_FILE_LIMIT}.` }),
  order: oneOf(["asc", "desc"]).optional().meta({ description: "Default: `desc`, latest first." }),
  purpose: textParameter().optional().meta({ description: "Lists only files of this purpose." }),
  after,
});

/** Query of `GET /v1/batches`. */
export const batchListQuery = z.looseObject({
  limit: integerParameter(1, MAX_BATCH_LIMIT)
    .optional()
    .meta({ description: `Maximum number of batches. Default: ${DEFAULT_BATCH_LIMIT}.` }),
  after,
});

/** Routes that answer lines. */
export const ENDPOINTS = [
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/responses",
  "/v1/embeddings",
  "/v1/rerank",
] as const;

/** Body of `POST /v1/batches`. */
export const batchRequest = z
  .looseObject(
    {
      input_file_id: nonEmptyText().meta({
        description: "Id of a file with the purpose `batch`.",
      }),
      endpoint: oneOf(ENDPOINTS).meta({ description: "Route of all lines." }),
      completion_window: z
        .string({ error: windowError })
        .refine((window) => parseWindowMs(window) !== undefined, { error: windowError })
        .meta({
          description:
            "Time after which unfinished lines expire: `24h`, or another time from `1h` to `336h` or from `1d` to `14d`.",
        }),
      metadata: metadataField(MAX_METADATA_LENGTH)
        .optional()
        .meta({ description: "Stored with the batch." }),
      output_expires_after: z
        .looseObject(
          { anchor: anchor(), seconds: integerBetween(MIN_SECONDS, MAX_SECONDS) },
          { error: "expected an object with anchor and seconds" },
        )
        .optional()
        .meta({
          description: "Lifetime of the result files. Default and maximum: `--batches-max-age`.",
        }),
    },
    { error: "expected a JSON object" },
  )
  .meta({ id: "BatchRequest", override: allowNullWhereOptional });
