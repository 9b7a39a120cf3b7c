import { dirname, join } from "node:path";
import type { Logger } from "pino";
import { type StoredItem, storedItem } from "../api/responses/response-schema.js";
import { listenAddressOf } from "../config/listen-addresses.js";
import type { Config } from "../config/settings.js";
import { ConversationStore } from "../conversations/conversation-store.js";
import { MEMORY_LIMITS, openConversations } from "../conversations/open-conversations.js";
import type { StoreOwners } from "../core/store-quota.js";
import { isOfOwnMachine } from "../http/accepted-hosts.js";

const FILE_NAME = "conversations.jsonl";

/** Conversations are dropped one by one, when there are too many: the log tells of it once in this time. */
const REPORT_EVERY_MS = 60 * 60 * 1_000;

/** Ids of incomplete conversations in a line of the log. */
const MAX_REPORTED = 100;

/**
 * The file of conversations; undefined: they are kept in memory. Where the operator says nothing, there is one if only
 * this machine is served: others may not expect that what they say is written down.
 */
export function conversationsFileOf({
  conversations,
  todos,
  host,
}: Pick<Config, "conversations" | "todos" | "host">): string | undefined {
  if (conversations === "none") return undefined;
  if (conversations !== undefined) return conversations;
  return isOfOwnMachine(host.map(listenAddressOf)) ? join(dirname(todos), FILE_NAME) : undefined;
}

/**
 * Opens the conversations of the server.
 * @throws {StartupError} when their file is in use, or wrong
 */
export async function openServedConversations(
  config: Pick<Config, "conversations" | "todos" | "host">,
  owners: StoreOwners,
  logger: Pick<Logger, "warn">,
): Promise<ConversationStore<StoredItem>> {
  const file = conversationsFileOf(config);
  if (file === undefined) return new ConversationStore({ limits: MEMORY_LIMITS, owners });
  return openConversations(file, {
    owners,
    parseItem: (value) => storedItem.parse(value),
    onMissingLines: ({ gaps, incomplete }) =>
      logger.warn(
        { file, lines: gaps.map(rangeOf), incomplete: incomplete.slice(0, MAX_REPORTED) },
        "lines are missing from the conversations file: their changes are lost, all others are loaded",
      ),
    onDropped: inIntervals(REPORT_EVERY_MS, (conversations) =>
      logger.warn({ conversations }, "conversations were dropped: their key stores too many"),
    ),
    onFailed: (error) =>
      logger.warn({ err: error, file }, "the conversations file cannot be made smaller"),
  });
}

function rangeOf([first, last]: readonly [first: number, last: number]): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** Adds up what is counted, and reports it at most once in a time. */
function inIntervals(everyMs: number, report: (count: number) => void): (count: number) => void {
  let total = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (count) => {
    total += count;
    if (performance.now() - reportedAt < everyMs) return;
    report(total);
    total = 0;
    reportedAt = performance.now();
  };
}
