import { access, isFromOperator } from "../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import type { ServedUsage, UsageGroup, UsageReader } from "../../core/usage.js";
import { parseInput } from "../../validation/parse-input.js";
import type { DescribedRoute } from "../description/described-route.js";
import { internalError } from "../description/example-errors.js";
import { JSON_TYPE, response } from "../description/responses.js";
import { toUsageList, usageList } from "./answer.js";
import { printUsageCsv } from "./csv.js";
import { toUsagePage, type UsagePage, usageQuery } from "./query.js";

const CSV_TYPE = "text/csv";

/** Dependencies of the usage route. */
export interface UsageContext {
  readonly usage: ServedUsage;
}

const exampleDay = Date.UTC(2026, 10, 2);
const examplePage: UsagePage = {
  query: {
    fromMs: exampleDay,
    toMs: exampleDay + 86_400_000,
    width: "1d",
    groupBy: ["key", "model"],
  },
};
const exampleGroups: readonly UsageGroup[] = [
  {
    bucketMs: exampleDay,
    subject: { key: "alice", model: "ggufd-mini" },
    requests: 12,
    promptTokens: 4200,
    cachedTokens: 3100,
    completionTokens: 960,
    images: 0,
    audioSeconds: 0,
    engineMs: 8250,
  },
];

/** The usage of a server's models. */
export const usageRoute: DescribedRoute<UsageContext> = {
  method: "GET",
  path: "/v1/usage",
  access: access.anyKey,
  description: {
    operationId: "getUsage",
    summary: "Get usage by hour, day or month",
    description:
      "Sums of ended requests, in the shape of OpenAI's organisation usage. A key sees its own usage, one with the scope `admin` that of all keys. Buckets begin at full hours, days or months of UTC. A request counts in the hour in which it ended.",
    requestParams: { query: usageQuery },
    responses: {
      200: response({
        description: "A page of buckets, or all of them as CSV.",
        content: {
          [JSON_TYPE]: { schema: usageList, example: toUsageList(examplePage, exampleGroups) },
          [CSV_TYPE]: { example: printUsageCsv(examplePage, exampleGroups) },
        },
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "bucket_width", reason: 'expected one of 1h, 1d, 1mo, got "1w"' },
      ]),
      createDisabledError("--usage is none"),
      new GgufdError("storage_unavailable", "The usage cannot be read: disk I/O error.", {
        retryAfterSeconds: 5,
      }),
      internalError,
    ],
  },
  async handle(context, request, reply) {
    const usage = requireUsage(context);
    const query = parseInput(usageQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const format = query.format ?? (acceptsCsv(request.headers.accept) ? "csv" : "json");
    const page = toUsagePage(query, {
      key: isFromOperator(request) ? undefined : request.keyUse?.key.name,
      format,
      nowMs: Date.now(),
    });
    const groups = await usage.read(page.query);
    if (format === "json") return toUsageList(page, groups);
    return reply.type(`${CSV_TYPE}; charset=utf-8`).send(printUsageCsv(page, groups));
  },
};

/** @throws {GgufdError} `unsupported_operation` if the server keeps no usage */
function requireUsage({ usage }: UsageContext): UsageReader {
  if (usage.is === "kept") return usage.usage;
  throw createDisabledError(usage.because);
}

function createDisabledError(reason: string): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    `This server keeps no usage: ${reason}. Start it with --usage FOLDER.`,
  );
}

function acceptsCsv(header = ""): boolean {
  return header.includes(CSV_TYPE);
}
