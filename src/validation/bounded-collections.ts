import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { MAX_DETAILS } from "./describe-issues.js";

export interface Bound {
  readonly max: number;
  /** Plural noun for the collection's items, e.g. `messages`. */
  readonly of: string;
}

/**
 * Arrays up to this length are validated as a whole, which reports the issues of other fields too.
 */
const MAX_WHOLE_ITEMS = 32;

/**
 * Maximum time per event-loop turn, in milliseconds; validating thousands of items takes tens of
 * milliseconds the first time.
 */
const TURN_MS = 4;

/**
 * Bounds the length of an array, and the work on invalid items: validation stops at the
 * {@link MAX_DETAILS}th invalid item. Zod itself validates every item and collects every issue,
 * which takes seconds for a million items. When Zod parses asynchronously, the items of a long
 * array are validated over several event-loop turns. Apply last: Zod's methods copy a schema
 * without this check.
 */
export function boundedArray<Schema extends z.ZodArray>(
  schema: Schema,
  { max, of }: Bound,
): Schema {
  /** Checks everything but the items, such as a minimum length. */
  const wholeSchema = z.core.clone(schema, { ...schema._zod.def, element: z.unknown() });
  assert(Number.isInteger(max) && max > 0, `expected a positive bound, got ${max}`);
  const run = schema._zod.run;
  schema._zod.run = (payload, context) => {
    const { value } = payload;
    if (!Array.isArray(value)) return run(payload, context);
    if (value.length > max) {
      payload.issues.push(createExcessIssue(value, { max, of }));
      return payload;
    }
    if (value.length <= MAX_WHOLE_ITEMS) return run(payload, context);
    const validation = new ItemValidation(schema.element, value);
    const finish = () => {
      payload.issues.push(...validation.issues);
      if (validation.issues.length > 0) return payload;
      payload.value = validation.values;
      return wholeSchema._zod.run(payload, context);
    };
    if (context.async) return validation.completeInTurns().then(finish);
    validation.advance(Number.POSITIVE_INFINITY);
    return finish();
  };
  return schema;
}

/** Validates the items of an array, up to the {@link MAX_DETAILS}th invalid one. */
class ItemValidation {
  readonly #item: z.core.$ZodType;
  readonly #items: readonly unknown[];
  #invalidItems = 0;
  /** Outputs of the valid items. */
  readonly values: unknown[] = [];
  /** Issues of the first invalid items, with their paths inside the array. */
  readonly issues: z.core.$ZodRawIssue[] = [];

  constructor(item: z.core.$ZodType, items: readonly unknown[]) {
    this.#item = item;
    this.#items = items;
  }

  async completeInTurns(): Promise<void> {
    while (!this.advance(performance.now() + TURN_MS)) await nextTurn();
  }

  /**
   * @param untilMs deadline on the clock of `performance.now()`
   * @returns whether validation is complete
   */
  advance(untilMs: number): boolean {
    for (let index = this.values.length; index < this.#items.length; index++) {
      if (this.#invalidItems === MAX_DETAILS) return true;
      if (performance.now() >= untilMs) return false;
      // Each item is small, and Zod is faster when it need not check for promises.
      const payload = { value: this.#items[index], issues: [] };
      const result = this.#item._zod.run(payload, { async: false });
      assert(
        !(result instanceof Promise),
        "expected synchronous validation of the items of a bounded array",
      );
      this.values.push(result.value);
      if (result.issues.length === 0) continue;
      this.#invalidItems++;
      this.issues.push(...z.core.util.prefixIssues(index, result.issues.slice(0, MAX_DETAILS)));
    }
    return true;
  }
}

/** Bounds the number of keys of a record. Apply last, like {@link boundedArray}. */
export function boundedRecord<Schema extends z.ZodRecord>(schema: Schema, bound: Bound): Schema {
  return rejectEarly(schema, (value) => {
    const isObject = typeof value === "object" && value !== null;
    return isObject && Object.keys(value).length > bound.max
      ? [createExcessIssue(value, bound)]
      : [];
  });
}

/**
 * Bounds the item count of a value before a union tries its options, whose issues would hide the
 * excess. Apply last, like {@link boundedArray}.
 */
export function boundedCount<Schema extends z.ZodUnion>(
  schema: Schema,
  bound: Bound & { readonly countOf: (value: unknown) => number },
): Schema {
  return rejectEarly(schema, (value) =>
    bound.countOf(value) > bound.max ? [createExcessIssue(value, bound)] : [],
  );
}

type IssuesOf = (value: unknown) => readonly z.core.$ZodRawIssue[];

/**
 * Makes a schema reject a value with the given issues, if there are any, before parsing the value.
 * The schema keeps its type in the OpenAPI description; Zod's `preprocess` would make it an
 * optional pipe there. Apply last: Zod's methods copy a schema without this check.
 */
function rejectEarly<Schema extends z.ZodType>(schema: Schema, issuesOf: IssuesOf): Schema {
  const run = schema._zod.run;
  schema._zod.run = (payload, context) => {
    const issues = issuesOf(payload.value);
    if (issues.length === 0) return run(payload, context);
    payload.issues.push(...issues);
    return payload;
  };
  return schema;
}

function createExcessIssue(input: unknown, { max, of }: Bound): z.core.$ZodRawIssue {
  return { code: "custom", message: `expected at most ${max} ${of}`, input };
}
