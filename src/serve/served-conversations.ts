import { dirname, join } from "node:path";
import type { Logger } from "pino";
import type { StoredItem } from "../api/responses/item-schema.js";
import { parseStoredItem } from "../api/responses/parse-stored-item.js";
import { parseListenAddress } from "../config/listen-addresses.js";
import type { Config } from "../config/settings.js";
import { ConversationStore } from "../conversations/conversation-store.js";
import { MEMORY_LIMITS, openConversations } from "../conversations/open-conversations.js";
import type { StoreOwners } from "../core/store-quota.js";
import { isLocalOnly } from "../http/accepted-hosts.js";

const FILE_NAME = "conversations.jsonl";

/**
 * Minimum interval between log entries about dropped conversations, in milliseconds: excess
 * conversations are dropped one by one.
 */
const REPORT_EVERY_MS = 60 * 60 * 1_000;

/** Maximum number of incomplete conversations listed in a log entry. */
const MAX_REPORTED = 100;

/**
 * Returns the path of the conversations file; `undefined`: conversations are kept in memory. By
 * default, there is a file only if the server listens on this machine alone, because other users
 * may not expect their conversations to be written to disk.
 */
export function selectConversationsFile({
  conversations,
  todos,
  host,
}: Pick<Config, "conversations" | "todos" | "host">): string | undefined {
  if (conversations === "none") return undefined;
  if (conversations !== undefined) return conversations;
  return isLocalOnly(host.map(parseListenAddress)) ? join(dirname(todos), FILE_NAME) : undefined;
}

/**
 * Opens the conversations of the server.
 * @throws {StartupError} if their file is in use or invalid
 */
export async function openServedConversations(
  config: Pick<Config, "conversations" | "todos" | "host">,
  owners: StoreOwners,
  logger: Pick<Logger, "warn">,
): Promise<ConversationStore<StoredItem>> {
  const file = selectConversationsFile(config);
  if (file === undefined) return new ConversationStore({ limits: MEMORY_LIMITS, owners });
  return openConversations(file, {
    owners,
    parseItem: parseStoredItem,
    onMissingLines: ({ gaps, incomplete }) =>
      logger.warn(
        { file, lines: gaps.map(formatRange), incomplete: incomplete.slice(0, MAX_REPORTED) },
        "lines are missing from the conversations file: their changes are lost, all others are loaded",
      ),
    onDropped: throttleReports(REPORT_EVERY_MS, (conversations) =>
      logger.warn(
        { conversations },
        "conversations were dropped: their API key exceeded its quota or no longer exists",
      ),
    ),
    onFailed: (error) =>
      logger.warn({ err: error, file }, "the conversations file cannot be compacted"),
  });
}

function formatRange([first, last]: readonly [first: number, last: number]): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** Sums up counts and reports the sum at most once per interval. */
function throttleReports(
  intervalMs: number,
  report: (count: number) => void,
): (count: number) => void {
  let total = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (count) => {
    total += count;
    if (performance.now() - reportedAt < intervalMs) return;
    report(total);
    total = 0;
    reportedAt = performance.now();
  };
}
