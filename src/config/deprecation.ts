import { z } from "zod";
import type { DeprecatedPath } from "../core/deprecated-path.js";

const form = "expected PATH DEPRECATED-ON SUNSET-ON SUCCESSOR";
const pathError = `${form}, the path beginning with / and without a query`;
const successorError = `${form}, the successor a path or an http URL`;
const dateError = `${form}, the dates as YYYY-MM-DD`;
const orderError = `${form}, the dates in this order`;

const path = z.string().regex(/^\/[^?#\s]*$/, pathError);
/** Sent between angle brackets in a header: printable ASCII without angle brackets. */
const successor = z
  .string()
  .regex(/^(?:\/|https?:\/\/)[\x21\x23-\x3b\x3d\x3f-\x7e]*$/, successorError);
const date = z.iso.date(dateError);

/** `/todos 2026-12-01 2027-12-01 /v1/todos`; dates mean midnight UTC. */
const deprecation = z
  .string()
  .transform((text) => text.trim().split(/\s+/))
  .pipe(z.tuple([path, date, date, successor], { error: form }))
  .refine(([, deprecatedOn, sunsetOn]) => deprecatedOn <= sunsetOn, orderError)
  .transform(
    ([path, deprecatedOn, sunsetOn, successor]): DeprecatedPath => ({
      path: path.replace(/(?<=.)\/+$/, ""),
      deprecatedAt: Date.parse(deprecatedOn) / 1000,
      sunsetAt: Date.parse(sunsetOn) / 1000,
      successor,
    }),
  );

/** Validates the text of a deprecation without parsing it. */
export function deprecationText() {
  return z.string({ error: form }).check(({ value, issues }) => {
    const [issue] = deprecation.safeParse(value).error?.issues ?? [];
    if (issue !== undefined) issues.push({ code: "custom", input: value, message: issue.message });
  });
}

/** Parses a {@link deprecationText}. */
export function parseDeprecation(text: string): DeprecatedPath {
  return deprecation.parse(text);
}
