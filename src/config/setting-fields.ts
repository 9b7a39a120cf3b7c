/** Schemas of the values that settings take, as they are written in flags. Each error says what was expected. */

import { isIP } from "node:net";
import { z } from "zod";
import type { DeprecatedPath } from "../core/deprecated-path.js";
import { integerBetween } from "../validation/fields.js";

/** An integer of at least 1. */
export const positiveInteger = () => integerBetween(1, Number.MAX_SAFE_INTEGER);

/** An integer, or the word `auto`. */
export const orAuto = (schema: ReturnType<typeof integerBetween>, min: number) =>
  z.union([schema, z.literal("auto")], {
    error: `expected an integer of at least ${min}, or auto`,
  });

/** A list whose entries may also be separated by commas: `CUDA0,CUDA1`. */
export function separated<Entry extends z.ZodType>(entry: Entry) {
  return z.preprocess(
    (raw) => (Array.isArray(raw) ? raw.flatMap(splitText) : raw),
    z.array(entry, { error: "expected a list" }),
  );
}

/** Proportions, as numbers or a text: `3,1`. */
export function proportions() {
  const error = "expected proportions such as 3,1";
  const share = z.number({ error }).min(0, { error });
  return z.preprocess(
    (raw) => (typeof raw === "string" ? raw.split(",").map(toNumber) : raw),
    z.array(share, { error }).refine((shares) => shares.some((value) => value > 0), { error }),
  );
}

/** How many layers: a number, or all of them. */
export function layerCount() {
  const error = "expected a number of layers, or all";
  const layers = z.int({ error }).min(0, { error }).max(10_000, { error });
  return z.union([layers, z.literal("all", { error })], { error });
}

/** `PATTERN=TYPE`: a regular expression for names of tensors, and a buffer type. */
export function tensorOverride() {
  const error = "expected PATTERN=TYPE, e.g. exps=CPU, the pattern a regular expression";
  return z
    .string({ error })
    .regex(/^[^=]+=[^=]+$/, { error })
    .refine(hasPattern, { error })
    .transform((text) => {
      const [pattern = "", bufferType = ""] = text.split("=");
      return { pattern, bufferType };
    });
}

function splitText(entry: unknown): unknown[] {
  return typeof entry === "string" ? entry.split(",") : [entry];
}

function toNumber(text: string): unknown {
  return text.trim() === "" ? text : Number(text);
}

function hasPattern(text: string): boolean {
  try {
    new RegExp(text.split("=")[0] ?? "");
    return true;
  } catch {
    return false;
  }
}

/** Labels of letters, digits, `-` and `_`, with dots between them. */
const HOST_NAME = /^(?!-)[\w-]+(\.[\w-]+)*\.?$/;

/** A scheme and a host, as browsers write them: lower case, without a path and without the default port. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/;

/** A host name or an address, without a scheme and without a port. */
export function hostName() {
  const error = "expected a host name or address without a port, e.g. llm.example.com";
  return z
    .string({ error })
    .refine((host) => HOST_NAME.test(host) || isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0, {
      error,
    });
}

/** An address or a network in CIDR notation. */
export function addressOrNetwork() {
  const error = "expected an address or a network, e.g. 10.0.0.10 or 10.0.0.0/8";
  return z.string({ error }).refine(isAddressOrNetwork, { error });
}

/** Origins of pages: `*` for all of them, `none`, or a list. */
export function origins() {
  const error = "expected *, none or origins such as https://example.com";
  return z
    .array(z.string({ error }).refine(isOrigin, { error }), { error })
    .min(1, { error })
    .refine((list) => list.length === 1 || !list.some(isKeyword), {
      error: "expected * and none to stand alone",
    });
}

/** The origins that an {@link origins} list allows. */
export function allowedOriginsOf(list: readonly string[]): "any" | readonly string[] {
  return list.includes("*") ? "any" : list.filter((entry) => entry !== "none");
}

function isOrigin(text: string): boolean {
  if (isKeyword(text)) return true;
  if (!ORIGIN.test(text) || !URL.canParse(text)) return false;
  const { origin } = new URL(text);
  // Those of apps, such as app://obsidian.md, are opaque to URL.
  return origin === "null" || origin === text;
}

function isKeyword(text: string): boolean {
  return text === "*" || text === "none";
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return length >= 1 && length <= (version === 4 ? 32 : 128);
}

const DEPRECATION_FORM = "expected PATH DEPRECATED-ON SUNSET-ON SUCCESSOR";
const PATH_ERROR = `${DEPRECATION_FORM}, the path beginning with / and without a query`;
const SUCCESSOR_ERROR = `${DEPRECATION_FORM}, the successor a path or an http URL`;
const DATE_ERROR = `${DEPRECATION_FORM}, the dates as YYYY-MM-DD`;
const ORDER_ERROR = `${DEPRECATION_FORM}, the dates in this order`;

const deprecatedPath = z.string().regex(/^\/[^?#\s]*$/, PATH_ERROR);
/** Sent between angle brackets in a header: printable ASCII without angle brackets. */
const successorText = z
  .string()
  .regex(/^(?:\/|https?:\/\/)[\x21\x23-\x3b\x3d\x3f-\x7e]*$/, SUCCESSOR_ERROR);
const isoDate = z.iso.date(DATE_ERROR);

/** `/todos 2026-12-01 2027-12-01 /v1/todos`; dates mean midnight UTC. */
const deprecation = z
  .string()
  .transform((text) => text.trim().split(/\s+/))
  .pipe(z.tuple([deprecatedPath, isoDate, isoDate, successorText], { error: DEPRECATION_FORM }))
  .refine(([, deprecatedOn, sunsetOn]) => deprecatedOn <= sunsetOn, ORDER_ERROR)
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
  return z.string({ error: DEPRECATION_FORM }).check(({ value, issues }) => {
    const [issue] = deprecation.safeParse(value).error?.issues ?? [];
    if (issue !== undefined) issues.push({ code: "custom", input: value, message: issue.message });
  });
}

/** Parses a {@link deprecationText}. */
export function parseDeprecation(text: string): DeprecatedPath {
  return deprecation.parse(text);
}
