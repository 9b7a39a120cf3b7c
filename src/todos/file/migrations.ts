import { z } from "zod";
import { FILE_VERSION } from "./todo-file.js";

/** What a migration may want to know beside the file's content. */
export interface MigrationContext {
  /** When the file was written last: RFC 3339 in UTC with milliseconds. */
  readonly modifiedAt: string;
}

type Migration = (file: Versioned, context: MigrationContext) => Versioned;

/** Parsed JSON of any version. What is wrong in it is left for the parser of the last one. */
const versioned = z.looseObject({ version: z.int().positive() });
type Versioned = z.infer<typeof versioned>;

/** From the version that is named to the next one. */
const migrations: Readonly<Record<number, Migration>> = {
  /** Items have times; when they were made and changed is not known. */
  1: ({ items, ...file }, { modifiedAt }) => ({
    ...file,
    version: 2,
    items: Array.isArray(items) ? items.map((item) => withTimes(item, modifiedAt)) : items,
  }),
};

/**
 * Brings parsed JSON to the version that is written now.
 * @throws {Error} when it has no version, or one that is not known here
 */
export function migrate(value: unknown, context: MigrationContext): Migrated {
  const result = versioned.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const place = z.core.toDotPath(issue?.path ?? []) || "top level";
    throw new Error(`${place}: ${issue?.message ?? "wrong shape"}`);
  }
  let file = result.data;
  while (file.version !== FILE_VERSION) {
    const step = migrations[file.version];
    if (step === undefined) {
      throw new Error(`version: expected 1 to ${FILE_VERSION}, got ${file.version}`);
    }
    file = step(file, context);
  }
  return { file, migrated: result.data.version !== FILE_VERSION };
}

export interface Migrated {
  readonly file: unknown;
  /** Whether it was of an earlier version. */
  readonly migrated: boolean;
}

function withTimes(item: unknown, at: string): unknown {
  if (typeof item !== "object" || item === null) return item;
  return { ...item, created_at: at, updated_at: at };
}
