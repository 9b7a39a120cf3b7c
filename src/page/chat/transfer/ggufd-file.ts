/** Files that the page has exported: `export-file.ts`. */
import { rootOf } from "../branches.js";
import { FILE_FORMAT, FILE_VERSION } from "./export-file.js";
import {
  ImportError,
  type ImportedBranch,
  type ImportedConversation,
  type ImportedItem,
  type ImportedTimes,
  isObject,
  type JsonObject,
  listIn,
  type ParsedConversations,
  SkipCounter,
  textIn,
  toTitle,
  toUnixSeconds,
} from "./imported.js";

export function isGgufdFile(value: unknown): value is JsonObject {
  return isObject(value) && value.format === FILE_FORMAT;
}

/** @throws {ImportError} for a file of a later release */
export function parseGgufdFile({ version, conversations }: JsonObject): ParsedConversations {
  if (version !== FILE_VERSION) {
    throw new ImportError(
      `Expected version ${FILE_VERSION} of the format, got ${JSON.stringify(version)}. Update the server, or export again.`,
    );
  }
  const skips = new SkipCounter();
  const items = new ItemReader(skips);
  const families = new Map<string, Branch[]>();
  for (const value of listIn(conversations)) {
    const branch = isObject(value) ? readBranch(value, items) : undefined;
    if (branch === undefined) {
      skips.add("chats", "they have no id");
      continue;
    }
    const family = families.get(branch.root) ?? [];
    families.set(branch.root, [...family, branch]);
  }
  return {
    conversations: Array.from(families.values(), toConversation),
    skipped: skips.list(),
  };
}

interface Branch extends ImportedBranch {
  readonly times: ImportedTimes;
  readonly root: string;
  readonly title: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

function readBranch(value: JsonObject, items: ItemReader): Branch | undefined {
  const id = textIn(value.id);
  if (id === undefined) return undefined;
  const allMetadata = Object.fromEntries(
    Object.entries(isObject(value.metadata) ? value.metadata : {}).filter(
      (pair): pair is [string, string] => typeof pair[1] === "string",
    ),
  );
  // The ids of conversations and items are other ones after the import.
  const { root, parent, fork, title, ...metadata } = allMetadata;
  const createdAt = toUnixSeconds(value.created_at);
  const updatedAt = toUnixSeconds(value.updated_at);
  return {
    root: rootOf({ id, metadata: allMetadata }),
    title,
    metadata,
    items: items.read(listIn(value.items)),
    createdAt: createdAt ?? 0,
    updatedAt: updatedAt ?? 0,
    times: { createdAt, updatedAt },
  };
}

/** Reads items, and resolves references to earlier ones. */
class ItemReader {
  readonly #skips: SkipCounter;
  readonly #byId = new Map<string, ImportedItem>();

  constructor(skips: SkipCounter) {
    this.#skips = skips;
  }

  read(values: readonly unknown[]): readonly ImportedItem[] {
    return values.flatMap((value) => {
      if (!isObject(value)) return [];
      const id = textIn(value.id);
      if (value.type !== "item_reference") {
        const item = toNewItem(value);
        if (id !== undefined) this.#byId.set(id, item);
        return [item];
      }
      const found = id === undefined ? undefined : this.#byId.get(id);
      if (found !== undefined) return [found];
      this.#skips.add("items", "the file does not contain them");
      return [];
    });
  }
}

/** Removes the fields that the server sets again. The response stays: it has the answer's metrics. */
function toNewItem({ id, status, ...fields }: JsonObject): ImportedItem {
  // Approvals refer to their requests, and a call may have failed or been interrupted.
  if (fields.type === "mcp_approval_request") return { ...fields, id };
  if (fields.type === "mcp_call") return { ...fields, status };
  return fields;
}

function toConversation(branches: readonly Branch[]): ImportedConversation {
  const ordered = branches.toSorted((one, other) => one.createdAt - other.createdAt);
  // Of branches that were changed in the same second, the last one in the file is the latest.
  const shown = branches.toSorted((one, other) => one.updatedAt - other.updatedAt).at(-1);
  return {
    title: toTitle(shown?.title),
    metadata: {},
    times: shown?.times ?? {},
    branches: ordered.map((branch) => ({
      items: branch.items,
      ...(branch.metadata && { metadata: branch.metadata }),
      times: branch === shown ? branch.times : toEarlierTimes(branch.times, shown?.updatedAt ?? 0),
    })),
  };
}

/** Returns times of which the last change is before that of the shown branch, in seconds. */
function toEarlierTimes(times: ImportedTimes, shownAt: number): ImportedTimes {
  const { updatedAt } = times;
  return updatedAt === undefined || updatedAt < shownAt
    ? times
    : { ...times, updatedAt: Math.max(0, shownAt - 1) };
}
