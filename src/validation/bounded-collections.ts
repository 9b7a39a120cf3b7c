import { z } from "zod";
import { MAX_DETAILS } from "./describe-issues.js";

export interface Bound {
  readonly max: number;
  /** What the collection holds, in the plural, e.g. `messages`. */
  readonly of: string;
}

/** Arrays up to this length are validated as a whole, which reports the issues of other fields too. */
const MAX_WHOLE_ITEMS = 32;

/**
 * Bounds the length of an array, and the work on invalid items: validation stops at the
 * {@link MAX_DETAILS}th. Zod itself validates every item and collects every issue, which takes
 * seconds for a million of them.
 */
export function boundedArray<Schema extends z.ZodArray>(
  schema: Schema,
  { max, of }: Bound,
): Schema {
  return rejectEarly(schema, (value) => {
    if (!Array.isArray(value)) return [];
    if (value.length > max) return [tooMany(value, { max, of })];
    return value.length > MAX_WHOLE_ITEMS ? firstIssues(schema.element, value) : [];
  });
}

/** Bounds the number of keys of a record. */
export function boundedRecord<Schema extends z.ZodRecord>(schema: Schema, bound: Bound): Schema {
  return rejectEarly(schema, (value) => {
    const isObject = typeof value === "object" && value !== null;
    return isObject && Object.keys(value).length > bound.max ? [tooMany(value, bound)] : [];
  });
}

/**
 * Bounds what a value counts as before a union tries its options, whose issues would hide that there
 * are too many items. To be applied last, as the others.
 */
export function boundedCount<Schema extends z.ZodUnion>(
  schema: Schema,
  bound: Bound & { readonly countOf: (value: unknown) => number },
): Schema {
  return rejectEarly(schema, (value) =>
    bound.countOf(value) > bound.max ? [tooMany(value, bound)] : [],
  );
}

type IssuesOf = (value: unknown) => readonly z.core.$ZodRawIssue[];

/**
 * Has a schema reject a value, if there are issues, before it looks into it. The schema stays what it
 * is for the OpenAPI description; Zod's own means of checking first, `preprocess`, would make it an
 * optional pipe there. To be applied last: Zod's methods copy a schema without this.
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

function tooMany(input: unknown, { max, of }: Bound): z.core.$ZodRawIssue {
  return { code: "custom", message: `expected at most ${max} ${of}`, input };
}

/** The issues of the first invalid items, with their paths inside the array. */
function firstIssues(
  item: z.core.$ZodType,
  items: readonly unknown[],
): readonly z.core.$ZodRawIssue[] {
  const issues: z.core.$ZodRawIssue[] = [];
  let invalidItems = 0;
  for (const [index, value] of items.entries()) {
    const { error } = z.safeParse(item, value);
    if (error === undefined) continue;
    for (const issue of error.issues.slice(0, MAX_DETAILS)) {
      issues.push({ ...issue, path: [index, ...issue.path], input: value } as z.core.$ZodRawIssue);
    }
    if (++invalidItems === MAX_DETAILS) break;
  }
  return issues;
}
