import type { StoredItem } from "../../api/responses/item-schema.js";

/** Longest data URL that is shown whole. */
const MAX_SHOWN_URL = 120;

/**
 * Builds the request of `POST /v1/responses` that generates an answer without a stored
 * conversation.
 * @param before items before the answer
 * @param fields of requests in the conversation: its settings and tools
 */
export function buildRequest(
  before: readonly StoredItem[],
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...fields, input: before.map(toInputItem) };
}

/** Removes the fields that the server has added to an item. */
function toInputItem(item: StoredItem): Readonly<Record<string, unknown>> {
  const { id, response, status, ...fields } = item as StoredItem & {
    readonly response?: unknown;
    readonly status?: unknown;
  };
  // Approvals refer to their requests, and a call may have failed or been interrupted.
  if (fields.type === "mcp_approval_request") return { ...fields, id };
  if (fields.type === "mcp_call") return { ...fields, status };
  if (fields.type !== "message" || fields.role !== "assistant") return fields;
  const content = fields.content.map((part) =>
    part.type === "output_text" ? { type: part.type, text: part.text } : part,
  );
  return { ...fields, content };
}

/** Formats a request as JSON. */
export function formatRequest(request: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(request, undefined, 2);
}

/** Shortens long data URLs, such as images, in a text to be shown. */
export function shortenUrls(text: string): string {
  return text.replaceAll(/data:[\w.+/-]+;base64,[\w+/=]+/g, (url) =>
    url.length <= MAX_SHOWN_URL
      ? url
      : `${url.slice(0, url.indexOf(",") + 1)}… (${url.length.toLocaleString("en-US")} characters)`,
  );
}

/**
 * Formats a request as a command line.
 * @param origin of the server, with the prefix of its paths
 * @param hasKey whether the server requires a key, which is read from an environment variable
 */
export function formatCurl(
  request: Readonly<Record<string, unknown>>,
  { origin, hasKey }: { readonly origin: string; readonly hasKey: boolean },
): string {
  return [
    `curl ${origin}/v1/responses`,
    ...(hasKey ? ['  -H "Authorization: Bearer $GGUFD_API_KEY"'] : []),
    "  -H 'Content-Type: application/json'",
    `  -d ${quote(formatRequest(request))}`,
  ].join(" \\\n");
}

/** Quotes a text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
