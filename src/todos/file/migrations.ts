import { z } from "zod";
import { FILE_VERSION } from "./todo-file.js";

/** Input of a migration beside the file's content. */
export interface MigrationContext {
  /** When the file was last written: RFC 3339 in UTC with milliseconds. */
  readonly modifiedAt: string;
}

type Migration = (file: Versioned, context: MigrationContext) => Versioned;

/** Parsed JSON of any version. Only the version is validated here, the rest by the parser. */
const versioned = z.looseObject({ version: z.int().positive() });
type Versioned = z.infer<typeof versioned>;

/** Migrations by the version that they upgrade from; each upgrades by one version. */
const migrations: Readonly<Record<number, Migration>> = {
  /** Adds the times of items. The real ones are unknown, so the file's time is used. */
  1: ({ items, ...file }, { modifiedAt }) => ({
    ...file,
    version: 2,
    items: Array.isArray(items) ? items.map((item) => withTimes(item, modifiedAt)) : items,
  }),
};

/**
 * Upgrades parsed JSON to the current version.
 * @throws {Error} when it has no version, or an unsupported one
 */
export function migrate(value: unknown, context: MigrationContext): Migrated {
  const result = versioned.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const path = z.core.toDotPath(issue?.path ?? []) || "top level";
    throw new Error(`${path}: ${issue?.message ?? "wrong shape"}`);
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
  /** Whether the file had an earlier version. */
  readonly migrated: boolean;
}

function withTimes(item: unknown, at: string): unknown {
  if (typeof item !== "object" || item === null) return item;
  return { ...item, created_at: at, updated_at: at };
}
