import { dirname, isAbsolute, resolve } from "node:path";
import {
  type Document,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { formatReason } from "../core/format-reason.js";
import type { ModelKind } from "../core/model-directory.js";
import { findNearest } from "../core/nearest.js";
import { StartupError } from "../core/startup-error.js";
import { preview } from "../validation/preview.js";
import type { Layer } from "./layers.js";
import { expectModel, type Preset, sectionOf, settingsOfPresets } from "./preset.js";
import type { MapPath, Setting } from "./setting.js";
import { isSettingName, type Origin, olderNames, settings } from "./settings.js";

const KINDS = ["generation", "embedding", "reranking"] as const satisfies readonly ModelKind[];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the models of a ggufd presets file, in YAML or its subset JSON. Relative paths in it are
 * relative to its folder.
 * @throws {StartupError} with file, model and key, what was expected and what was received
 */
export function readYamlPresets(path: string, text: string): readonly Preset[] {
  const { defaults = {}, models, ...others } = expectFields(parse(path, text), path);
  const [unknownKey] = Object.keys(others);
  if (unknownKey !== undefined) {
    throw new StartupError(
      `${path}: expected the keys defaults and models, got ${preview(unknownKey)}`,
    );
  }
  const defaultsOrigin = sectionOf(path, "defaults");
  const { kind, model, ...shared } = expectFields(defaults, defaultsOrigin);
  for (const [key, value] of Object.entries({ kind, model })) {
    if (value === undefined) continue;
    throw new StartupError(
      `${defaultsOrigin}: ${key}: expected in the section of a model, got ${preview(value)}`,
    );
  }
  rejectUnknown(shared, "generation", defaultsOrigin);
  const sharedLayer = createYamlLayer(shared, defaultsOrigin, path);
  return Object.entries(expectFields(models, `${path}: models`)).map(([name, section]) => {
    const origin = sectionOf(path, name);
    const { kind, ...own } = expectFields(section, origin);
    const modelKind = parseKind(kind, origin);
    rejectUnknown(own, modelKind, origin);
    expectModel(name, own.model, origin);
    const layers = [createYamlLayer(own, origin, path), sharedLayer];
    return { name, kind: modelKind, origin, layers, notices: [] };
  });
}

function parse(path: string, text: string): unknown {
  const lines = new LineCounter();
  try {
    // The parser's own check for unique keys takes minutes for some ten thousand keys.
    const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false } as const;
    const document = parseDocument(text, options);
    const [problem = findFirstInvalidKey(document)] = [...document.errors, ...document.warnings];
    if (problem === undefined) return document.toJS();
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new Error(`line ${line}, column ${col}: ${problem.message.replaceAll(/\s+/g, " ")}`);
  } catch (error) {
    const reason = formatReason(error).replace(/Maximum call stack.*/, "expected less nesting");
    throw new StartupError(`${path}: not YAML: ${reason}`, error);
  }
}

interface Problem {
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** Finds a key that is not text or occurs twice in its map. */
function findFirstInvalidKey(document: Document): Problem | undefined {
  let problem: Problem | undefined;
  visit(document, {
    Map(_, map) {
      problem = findInvalidKey(map);
      return problem && visit.BREAK;
    },
  });
  return problem;
}

function findInvalidKey({ items, range }: YAMLMap): Problem | undefined {
  const known = new Set<string>();
  for (const { key } of items) {
    const [from = 0, to = from] = (isNode(key) ? key.range : range) ?? [];
    const pos = [from, to] as const;
    if (!isScalar(key)) return { message: "expected a string as the key", pos };
    const name = String(key.value);
    if (known.has(name)) {
      return { message: `expected unique keys, got ${preview(name)} again`, pos };
    }
    known.add(name);
  }
  return undefined;
}

function expectFields(value: unknown, location: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new StartupError(`${location}: expected keys with values, got ${preview(value)}`);
}

function parseKind(kind: unknown, origin: Origin): ModelKind {
  const known = KINDS.find((one) => one === (kind ?? "generation"));
  if (known !== undefined) return known;
  throw new StartupError(
    `${origin}: kind: expected one of ${KINDS.join(", ")}, got ${preview(kind)}`,
  );
}

function rejectUnknown(fields: Fields, kind: ModelKind, origin: Origin): void {
  const known: readonly string[] = settingsOfPresets(kind);
  for (const key of Object.keys(fields)) {
    if (known.includes(key) || known.includes(olderNames[key] ?? "")) continue;
    throw new StartupError(
      `${origin}: ${key}: expected a setting of ${kind} models, got ${preview(key)}; the nearest is ${findNearest(key, known)}`,
    );
  }
}

function createYamlLayer(fields: Fields, origin: Origin, path: string): Layer {
  const absolute = (text: string) => (isAbsolute(text) ? text : resolve(dirname(path), text));
  return {
    lookUp(key) {
      const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
      return value === undefined ? undefined : { value: withPaths(key, value, absolute), origin };
    },
  };
}

/** Makes the paths in a setting's value absolute. */
function withPaths(key: string, value: unknown, absolute: MapPath): unknown {
  const name = olderNames[key] ?? key;
  const { withPath }: Partial<Setting> = isSettingName(name) ? settings[name] : {};
  if (withPath === undefined) return value;
  if (Array.isArray(value)) return value.map((entry) => withPaths(key, entry, absolute));
  return typeof value === "string" && value !== "" ? withPath(value, absolute) : value;
}
