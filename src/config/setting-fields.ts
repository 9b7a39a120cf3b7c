/** Schemas of the values of settings, as written in flags. Each error states the expected value. */

import { isIP } from "node:net";
import { z } from "zod";
import type { AdapterSpec } from "../core/adapters.js";
import type { DeprecatedPath } from "../core/deprecated-path.js";
import { parseKeepTime } from "../core/keep-time.js";
import { UNIX_CLIENTS } from "../core/listen-address.js";
import type { MetadataOverride } from "../core/metadata-override.js";
import {
  findSampler,
  findSamplerByLetter,
  NAMED_SAMPLERS,
  type NamedSampler,
} from "../core/samplers.js";
import { integerBetween, nonEmptyText } from "../validation/fields.js";
import { nameOf, parseModelReference } from "./model-reference.js";
import type { MapPath } from "./setting.js";

/** Schema of an integer of at least 1. */
export const positiveInteger = () => integerBetween(1, Number.MAX_SAFE_INTEGER);

/** Schema of an integer, or the word `auto`. */
export const orAuto = (schema: ReturnType<typeof integerBetween>, min: number) =>
  z.union([schema, z.literal("auto")], {
    error: `expected an integer of at least ${min}, or auto`,
  });

/** Maximum number of engines of one model. */
const MAX_REPLICAS = 64;

/** Schema of the number of engines of a model. */
export const replicaCount = () =>
  z.union([integerBetween(1, MAX_REPLICAS), z.literal("auto")], {
    error: `expected an integer from 1 to ${MAX_REPLICAS}, or auto`,
  });

/** Schema of a list whose entries may also be separated by commas: `CUDA0,CUDA1`. */
export function separated<Entry extends z.ZodType>(entry: Entry, max = Number.MAX_SAFE_INTEGER) {
  return z.preprocess(
    (raw) => (Array.isArray(raw) ? raw.flatMap(splitText) : raw),
    z
      .array(entry, { error: "expected a list" })
      .max(max, { error: `expected at most ${max} entries` }),
  );
}

/** Schema of proportions, as numbers or text: `3,1`. */
export function proportions() {
  const error = "expected proportions such as 3,1";
  const share = z.number({ error }).min(0, { error });
  return z.preprocess(
    (raw) => (typeof raw === "string" ? raw.split(",").map(toNumber) : raw),
    z.array(share, { error }).refine((shares) => shares.some((value) => value > 0), { error }),
  );
}

/** Schema of memory in GiB: main memory and, after a comma, GPU memory. */
export function memoryBudget() {
  const error =
    "expected GiB of main memory, optionally followed by a comma and GiB of GPU memory, e.g. 24 or 24,80";
  return z.preprocess(
    (raw) => (typeof raw === "number" ? String(raw) : raw),
    z
      .string({ error })
      .regex(/^\d{1,7}(\.\d{1,3})?(,\d{1,7}(\.\d{1,3})?)?$/, { error })
      .transform((text) => {
        const [mainGiB = 0, gpuGiB] = text.split(",").map(Number);
        return { mainGiB, gpuGiB };
      }),
  );
}

/** Schema of a number of layers, or `all`. */
export function layerCount() {
  const error = "expected a number of layers, or all";
  const layers = z.int({ error }).min(0, { error }).max(10_000, { error });
  return z.union([layers, z.literal("all", { error })], { error });
}

/** Schema of `PATTERN=TYPE`: a regular expression for tensor names, and a buffer type. */
export function tensorOverride() {
  const error = "expected PATTERN=TYPE with a regular expression, e.g. exps=CPU";
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

/** Schema of a JSON object, given as text or, in presets, as an object. */
export function jsonObject(example: string) {
  const error = `expected a JSON object such as ${example}`;
  return z.preprocess(
    (raw) => (typeof raw === "string" ? parseJson(raw) : raw),
    z.record(z.string(), z.json(), { error }),
  );
}

/** Returns the text itself if it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Schema of a scaling factor. */
export function positiveNumber() {
  const error = "expected a number above 0";
  return z.number({ error }).gt(0, { error });
}

/** Schema of how long a model stays loaded: seconds or a duration; negative values mean forever. */
export function keepDuration() {
  const error = "expected a number of seconds, -1 for never, or a duration such as 5m or 1h30m";
  return z
    .union([z.number({ error }), z.string({ error })], { error })
    .transform((value, context) => {
      const time = parseKeepTime(value);
      if (time !== undefined) return time;
      context.issues.push({ code: "custom", message: error, input: value });
      return z.NEVER;
    });
}

/** Schema of samplers: names separated by semicolons or commas, or their letters as one word. */
export function samplerNames() {
  const error = `expected samplers, each at most once: ${NAMED_SAMPLERS.join("; ")}`;
  const named = z.union([nonEmptyText(), z.array(nonEmptyText())], { error });
  return named.transform((value, context): readonly NamedSampler[] => {
    const names = typeof value === "string" ? value.split(/[;,]/) : value;
    const [singleName = ""] = names;
    const isLetters = names.length === 1 && findSampler(singleName) === undefined;
    const parts = isLetters ? [...singleName] : names;
    const find = isLetters ? findSamplerByLetter : findSampler;
    const samplers = parts.flatMap((part) => find(part.trim()) ?? []);
    if (new Set(samplers).size === parts.length) return samplers;
    context.issues.push({ code: "custom", message: error, input: value });
    return z.NEVER;
  });
}

/** Schema of a Jinja chat template, or `chatml`, the only built-in template. */
export function chatTemplateText() {
  const error = "expected a template in Jinja, or chatml";
  return z.string({ error }).refine((text) => text === "chatml" || text.includes("{"), { error });
}

/** Maximum length of a key or text value in llama.cpp. */
const MAX_OVERRIDE_LENGTH = 127;

const OVERRIDE = /^(?<key>[^=\s]+)=(?<type>int|float|bool|str):(?<value>.*)$/s;

/** Schema of `KEY=TYPE:VALUE`, a metadata value of a model's file. */
export function metadataOverride() {
  const error = "expected KEY=TYPE:VALUE with a TYPE of int, float, bool or str";
  return z.string({ error }).transform((text, context): MetadataOverride => {
    const { key = "", type = "", value = "" } = OVERRIDE.exec(text)?.groups ?? {};
    const override = toOverride(key, type, value);
    const isShort = key.length <= MAX_OVERRIDE_LENGTH && value.length <= MAX_OVERRIDE_LENGTH;
    if (override !== undefined && isShort) return override;
    const message = isShort
      ? error
      : `${error}, key and value of at most ${MAX_OVERRIDE_LENGTH} characters`;
    context.issues.push({ code: "custom", message, input: text });
    return z.NEVER;
  });
}

function toOverride(key: string, type: string, text: string): MetadataOverride | undefined {
  switch (type) {
    case "str":
      return { key, type, value: text };
    case "bool":
      return text === "true" || text === "false"
        ? { key, type, value: text === "true" }
        : undefined;
    case "int": {
      const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
      return Number.isSafeInteger(value) ? { key, type, value } : undefined;
    }
    case "float": {
      const value = text.trim() === "" ? Number.NaN : Number(text);
      return Number.isFinite(value) ? { key, type, value } : undefined;
    }
    default:
      return undefined;
  }
}

const ADAPTER = /^(?:(?<name>[^=/\\]+)=)?(?<path>.+?)(?::(?<scale>-?\d+(?:\.\d+)?))?$/s;

/**
 * Schema of `[NAME=]PATH[:SCALE]`, where the path may be a name of the store. The name defaults to
 * the file name without .gguf, the scale to 1. Without a name, or with a scale, an adapter applies
 * to all requests, as in llama-server; with a name alone, to requests that name it, as in vLLM.
 */
export function adapter() {
  const error = "expected [NAME=]PATH[:SCALE]";
  return z.string({ error }).transform((text, context): AdapterSpec => {
    const { name, path, scale } = ADAPTER.exec(text)?.groups ?? {};
    if (path !== undefined) {
      const ownName = nameOf(parseModelReference(path));
      const use = name !== undefined && scale === undefined ? "when-asked" : "always";
      return { name: name ?? ownName, path, scale: Number(scale ?? 1), use };
    }
    context.issues.push({ code: "custom", message: error, input: text });
    return z.NEVER;
  });
}

/** Labels of letters, digits, `-` and `_`, separated by dots. */
const HOST_NAME = /^(?!-)[\w-]+(\.[\w-]+)*\.?$/;

/** Scheme and host as browsers write them: lower case, without a path or the default port. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/;

/** Whether a text is a host name without a port. */
export function isHostName(text: string): boolean {
  return HOST_NAME.test(text);
}

/** Schema of a host name or an address, without a scheme or port. */
export function hostName() {
  const error = "expected a host name or address without a port, e.g. llm.example.com";
  return z
    .string({ error })
    .refine((host) => HOST_NAME.test(host) || isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0, {
      error,
    });
}

/**
 * Schema of hosts that files are fetched from: a host name, all names below a domain, or any host.
 */
export function mediaHost() {
  const error = "expected a host name without a port, *.example.com or *";
  return z
    .string({ error })
    .refine((host) => host === "*" || HOST_NAME.test(host.replace(/^\*\./, "")), { error });
}

/** Schema of an address, a network in CIDR notation, or `unix` for all clients of Unix sockets. */
export function addressOrNetwork() {
  const error = "expected an address, a network or unix, e.g. 10.0.0.10 or 10.0.0.0/8";
  return z
    .string({ error })
    .refine((text) => text === UNIX_CLIENTS || isAddressOrNetwork(text), { error });
}

/** Segments that need no encoding, and that no client resolves as `..` does. */
const PATH_PREFIX = /^(?:\/(?!\.+(?:\/|$))[\w.~-]+)+$/;

/** Schema of a path that other paths are below, without a slash at its end. */
export function pathPrefix() {
  const error = "expected a path that begins with / and does not end with it, such as /llm";
  return z.string({ error }).regex(PATH_PREFIX, { error });
}

/** Schema of web page origins: `*` for all, `none`, or a list, which may contain `localhost`. */
export function origins() {
  const error = "expected *, none, localhost or origins such as https://example.com";
  return z
    .array(z.string({ error }).refine(isOrigin, { error }), { error })
    .min(1, { error })
    .refine((list) => list.length === 1 || !list.some(isKeyword), {
      error: "expected * or none as the only value",
    });
}

/** Returns the origins that an {@link origins} list allows. */
export function parseAllowedOrigins(list: readonly string[]): "any" | readonly string[] {
  return list.includes("*") ? "any" : list.filter((entry) => entry !== "none");
}

function isOrigin(text: string): boolean {
  if (isKeyword(text) || text === "localhost") return true;
  if (!ORIGIN.test(text) || !URL.canParse(text)) return false;
  const { origin } = new URL(text);
  // URL treats the origins of apps, such as app://obsidian.md, as opaque.
  return origin === "null" || origin === text;
}

function isKeyword(text: string): boolean {
  return text === "*" || text === "none";
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...extraParts] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || extraParts.length > 0) return false;
  if (prefix === undefined) return true;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return length >= 1 && length <= (version === 4 ? 32 : 128);
}

const DEPRECATION_FORM = "expected PATH DEPRECATED-ON SUNSET-ON SUCCESSOR";
const PATH_ERROR = `${DEPRECATION_FORM}, with a path that begins with / and has no query`;
const SUCCESSOR_ERROR = `${DEPRECATION_FORM}, with a path or http URL as the successor`;
const DATE_ERROR = `${DEPRECATION_FORM}, with dates as YYYY-MM-DD`;
const ORDER_ERROR = `${DEPRECATION_FORM}, with dates in this order`;

const deprecatedPath = z.string().regex(/^\/[^?#\s]*$/, PATH_ERROR);
/** Printable ASCII without angle brackets, which enclose the URL in the `Link` header. */
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

/** Schema that validates the text of a deprecation without parsing it. */
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

/** Maps a value that is a path. */
export const anyPath = (text: string, absolute: MapPath): string => absolute(text);

/** Maps a path; the words `auto` and `none` stay unchanged. */
export const pathOrWord = (text: string, absolute: MapPath): string =>
  text === "auto" || text === "none" ? text : absolute(text);

/** Maps the path of a model; a name of the store stays unchanged. */
export const modelPath = (text: string, absolute: MapPath): string =>
  parseModelReference(text).kind === "name" ? text : absolute(text);

/** Maps the path of a model; a name of the store, `auto` and `none` stay unchanged. */
export const modelPathOrWord = (text: string, absolute: MapPath): string =>
  pathOrWord(text, (path) => modelPath(path, absolute));

/** Maps the path in `[NAME=]PATH[:SCALE]`; a name of the store stays unchanged. */
export function adapterPath(text: string, absolute: MapPath): string {
  const [, name = "", path = ""] = /^([^=/\\]+=)?(.*)$/s.exec(text) ?? [];
  return path === "" || parseModelReference(path).kind === "name"
    ? text
    : `${name}${absolute(path)}`;
}
