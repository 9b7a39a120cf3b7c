import { type UsageGroup, type UsageQuery, usageCounters, usageDimensions } from "../core/usage.js";
import type { HourOfUsage } from "./group-usage.js";
import type { DayOfKey } from "./recent-totals.js";
import type { UsageStorage } from "./usage-store.js";

/** Version of the tables, in the database's `user_version`. */
const VERSION = 1;

const HOUR_MS = 3_600_000;
const HOURS_PER_DAY = 24;

const names = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");

const keyColumns = ["hour", ...usageDimensions];
const columns = [...keyColumns, ...usageCounters];
/** Values are integers, except seconds of audio. */
const counterTypes = usageCounters.map((counter) => `"${counter}" NUMERIC NOT NULL`).join(", ");
const dimensionTypes = usageDimensions
  .map((dimension) => `"${dimension}" TEXT NOT NULL`)
  .join(", ");
const sums = usageCounters.map((counter) => `SUM("${counter}") AS "${counter}"`).join(", ");

/** Hours are counted since the Unix epoch. Their order makes old rows and intervals contiguous. */
const CREATE = `CREATE TABLE usage (
  "hour" INTEGER NOT NULL, ${dimensionTypes}, ${counterTypes},
  PRIMARY KEY (${names(keyColumns)})
) WITHOUT ROWID;
PRAGMA user_version = ${VERSION};`;

/** One statement adds all rows, so that they are stored together or not at all. */
const buildInsert = (rows: string) => `INSERT INTO usage (${names(columns)})
  SELECT ${columns.map((_, index) => `json_extract(value, '$[${index}]')`).join(", ")}
  FROM json_each(${rows}) WHERE true
  ON CONFLICT DO UPDATE SET ${usageCounters
    .map((counter) => `"${counter}" = "${counter}" + excluded."${counter}"`)
    .join(", ")};`;

/**
 * The table of usage in an SQLite file. Statements run outside the event loop's thread, except
 * for fetching the rows of a result.
 */
export class UsageDatabase implements UsageStorage {
  readonly #database: SqlDatabase;

  /**
   * @throws {Error} the file is damaged, of a newer version, or cannot be opened; or this platform
   *   has no prebuilt addon
   */
  static async open(path: string): Promise<UsageDatabase> {
    const { default: Database } = await import("libsql/promise");
    const database: SqlDatabase = new Database(path, {});
    try {
      await prepareTables(database);
      return new UsageDatabase(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  private constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async add(hours: readonly HourOfUsage[]): Promise<void> {
    const rows = hours.map((hour) => [
      hour.hourMs / HOUR_MS,
      ...usageDimensions.map((dimension) => hour[dimension]),
      ...usageCounters.map((counter) => hour[counter]),
    ]);
    await this.#database.exec(buildInsert(quote(JSON.stringify(rows))));
  }

  async read({ fromMs, toMs, width, groupBy, key }: UsageQuery): Promise<readonly UsageGroup[]> {
    const start = width === "1h" ? '"hour"' : `"hour" - "hour" % ${HOURS_PER_DAY}`;
    const groups = names(groupBy);
    const rows = await this.#select(
      `SELECT ${start} AS start, ${groups}${groupBy.length > 0 ? "," : ""} ${sums} FROM usage
       WHERE "hour" >= ? AND "hour" < ? ${key === undefined ? "" : 'AND "key" = ?'}
       GROUP BY ${[start, ...groupBy.map((dimension) => `"${dimension}"`)].join(", ")}`,
      [fromMs / HOUR_MS, toMs / HOUR_MS, ...(key === undefined ? [] : [key])],
    );
    return rows.map((row) => ({
      bucketMs: Number(row.start) * HOUR_MS,
      subject: Object.fromEntries(groupBy.map((dimension) => [dimension, String(row[dimension])])),
      ...toTotals(row),
    }));
  }

  /** Sums the usage of each key on each day since a time. */
  async sumDays(sinceMs: number): Promise<readonly DayOfKey[]> {
    const interval = { fromMs: sinceMs, toMs: Number.MAX_SAFE_INTEGER };
    const days = await this.read({ ...interval, width: "1d", groupBy: ["key"] });
    return days.map(({ bucketMs, subject: { key = "" }, ...totals }) => ({
      key,
      dayMs: bucketMs,
      ...totals,
    }));
  }

  async removeBefore(epochMs: number): Promise<void> {
    await this.#database.exec(`DELETE FROM usage WHERE "hour" < ${Math.floor(epochMs / HOUR_MS)}`);
  }

  async close(): Promise<void> {
    // Prepared statements keep the connection, and so the journal, until they are collected.
    await this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => undefined);
    this.#database.close();
  }

  async #select(sql: string, parameters: readonly (string | number)[]): Promise<readonly Row[]> {
    const statement = await this.#database.prepare(sql);
    return statement.all(...parameters);
  }
}

type Row = Readonly<Record<string, unknown>>;

/** The used part of a libsql database, whose types are `any`. */
interface SqlDatabase {
  exec(sql: string): Promise<void>;
  prepare(sql: string): Promise<{
    all(...parameters: readonly (string | number)[]): Promise<readonly Row[]>;
  }>;
  close(): void;
}

function toTotals(row: Row) {
  const totals = usageCounters.map((counter) => [counter, Number(row[counter])] as const);
  return Object.fromEntries(totals) as Record<(typeof usageCounters)[number], number>;
}

/**
 * Checks the file and creates the table in a new one. A write is durable when it has succeeded,
 * and costs one sync of the journal.
 */
async function prepareTables(database: SqlDatabase): Promise<void> {
  await database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  const problems = (await readPragma(database, "quick_check")).filter((text) => text !== "ok");
  if (problems.length > 0) throw new Error(`its database is damaged: ${problems[0]}`);
  const [version] = await readPragma(database, "user_version");
  if (version === "0") await database.exec(CREATE);
  else if (version !== String(VERSION)) {
    throw new Error(`expected a database of version ${VERSION}, got version ${version}`);
  }
}

async function readPragma(database: SqlDatabase, name: string): Promise<readonly string[]> {
  const rows = await (await database.prepare(`PRAGMA ${name}`)).all();
  return rows.map((row) => String(Object.values(row)[0]));
}

/** Quotes a text as an SQL literal. JSON text has no zero bytes, which would end it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
