import type { ModelKind } from "../core/model-directory.js";
import { StartupError } from "../core/startup-error.js";
import { preview } from "../validation/preview.js";
import { fromText, type Layer } from "./layers.js";
import {
  describeAlternative,
  describeNotice,
  divideContext,
  effectOfText,
  joinRepository,
  toOwnValue,
} from "./llama-server/options.js";
import { parsePresetKey } from "./llama-server/preset-keys.js";
import { expectModel, type Preset, sectionOf, settingsOfPresets } from "./preset.js";
import { flagOf, type ModelSettingName, type Origin } from "./settings.js";

/** Name of the section that applies to all models. */
const ALL_MODELS = "*";

/** Keys with their values; the last value of a repeated key wins. */
type Section = ReadonlyMap<string, string>;

/**
 * Reads the models of a llama-server presets file. As in llama-server, paths in it are relative to
 * the working directory of the server. Source: llama.cpp, common/preset.cpp, and "Model presets" in
 * tools/server/README.md.
 * @param flags flags of the command line, whose number of slots divides contexts
 * @throws {StartupError} with file, section and key, what was expected and what was received
 */
export function readIniPresets(path: string, text: string, flags: Layer): readonly Preset[] {
  const sections = parseIni(path, text);
  const commonSection = sections.get(ALL_MODELS) ?? new Map();
  const commonOrigin = sectionOf(path, ALL_MODELS);
  for (const key of ["model", "m", "hf-repo"]) {
    const value = commonSection.get(key);
    if (value === undefined) continue;
    throw new StartupError(
      `${commonOrigin}: ${key}: expected in the section of a model, got ${preview(value)}`,
    );
  }
  const shared = translate(commonSection, commonOrigin);
  return [...sections.keys()]
    .filter((name) => name !== ALL_MODELS)
    .map((name) => {
      const origin = sectionOf(path, name);
      const own = translate(withRepositoryFile(sections.get(name) ?? new Map()), origin);
      expectModel(name, own.values.get("model"), origin);
      const slots = flags.lookUp("parallel", "text")?.value ?? textOf("parallel", own, shared);
      return {
        name,
        kind: own.kind ?? shared.kind ?? "generation",
        origin,
        notices: [...shared.notices, ...own.notices],
        layers: [createIniLayer(own, origin, slots), createIniLayer(shared, commonOrigin, slots)],
      };
    });
}

const ENTRY = /^([A-Za-z_][\w.-]*)\s*=\s*(.*)$/;

/** Parses an INI file; a repeated section replaces the earlier one. */
function parseIni(path: string, text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Map<string, string>>();
  let currentSection: Map<string, string> | undefined;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = withoutComment(raw).trim();
    if (line === "") continue;
    const location = `${path}: line ${index + 1}`;
    const header = parseHeader(line);
    if (header !== undefined) {
      currentSection = new Map();
      sections.set(withCanonicalTag(header), currentSection);
      continue;
    }
    const [, key, value = ""] = ENTRY.exec(line) ?? [];
    if (key === undefined) {
      throw new StartupError(
        `${location}: expected [NAME], KEY = VALUE or a comment, got ${preview(line)}`,
      );
    }
    if (currentSection !== undefined) currentSection.set(key, value);
    else if (key !== "version") {
      throw new StartupError(
        `${location}: ${key}: expected in a section, got a key before the first section`,
      );
    }
  }
  return sections;
}

/** Removes a comment, which may begin anywhere, including within a value. */
function withoutComment(line: string): string {
  const start = line.search(/[;#]/);
  return start < 0 ? line : line.slice(0, start);
}

/** Returns the name in `[NAME]`. */
function parseHeader(line: string): string | undefined {
  if (!line.startsWith("[") || !line.endsWith("]")) return undefined;
  const name = line.slice(1, -1).trim();
  return name === "" || name.includes("]") ? undefined : name;
}

/** `user/repo:q8_0` → `user/repo:Q8_0` */
function withCanonicalTag(name: string): string {
  if (name === ALL_MODELS) return name;
  const colon = name.lastIndexOf(":");
  if (colon < 0) return name;
  const tag = name.slice(colon + 1);
  return name.slice(0, colon + 1) + (/[-.](\w+)$/.exec(tag)?.[1] ?? tag).toUpperCase();
}

/** Combines a repository and one of its files into a single reference. */
function withRepositoryFile(section: Section): Section {
  const repository = section.get("hf-repo") ?? section.get("hf") ?? section.get("hfr");
  const file = section.get("hf-file") ?? section.get("hff");
  if (file === undefined || repository === undefined) return section;
  const others = [...section].filter(
    ([key]) => !["hf-repo", "hf", "hfr", "hf-file", "hff"].includes(key),
  );
  return new Map([...others, ["hf-repo", joinRepository(repository, file)]]);
}

/** Section translated to ggufd's settings. */
interface TranslatedSection {
  readonly kind: ModelKind | undefined;
  readonly values: ReadonlyMap<string, GivenText>;
  /** Keys without effect, with the reason. */
  readonly notices: readonly string[];
}

/** Value of a setting, as written in a flag. */
interface GivenText {
  readonly text: string;
  /** Whether the value is the total context of all slots. */
  readonly isTotal: boolean;
}

/** Meaning of a key: nothing to do, the kind of the model, or the value of a setting. */
type KeyMeaning =
  | { readonly type: "nothing"; readonly notice?: string | undefined }
  | { readonly type: "kind"; readonly kind: ModelKind }
  | ({ readonly type: "setting"; readonly name: ModelSettingName } & GivenText);

const NOTHING: KeyMeaning = { type: "nothing" };

function translate(section: Section, origin: Origin): TranslatedSection {
  let kind: ModelKind | undefined;
  const values = new Map<string, GivenText>();
  const notices: string[] = [];
  for (const [key, value] of section) {
    const meaning = parseKey(key, value, origin);
    if (meaning.type === "kind") kind = meaning.kind;
    else if (meaning.type === "setting") values.set(meaning.name, meaning);
    else if (meaning.notice !== undefined) notices.push(meaning.notice);
  }
  return { kind, values, notices };
}

/** @throws {StartupError} the key has no equivalent, or is unknown to llama-server */
function parseKey(key: string, value: string, origin: Origin): KeyMeaning {
  const meaning = parsePresetKey(key);
  if (meaning.kind === "ignored") {
    const notice = `${origin}: ${key}: without effect in a presets file, as in llama-server`;
    return key === "version" ? NOTHING : { type: "nothing", notice };
  }
  const toSetting = (flag: string, text: string, isTotal = false): KeyMeaning => ({
    type: "setting",
    name: findSetting(flag, key, origin),
    text,
    isTotal,
  });
  if (meaning.kind === "own") return toSetting(meaning.flag, value);
  const effect = effectOfText(meaning.option, value);
  switch (effect?.kind) {
    case "accepted":
      return { type: "nothing", notice: describeNotice(`${origin}: ${key}`, effect) };
    case undefined:
    case "repository-file":
    case "variable":
    case "program":
      return NOTHING;
    case "refused":
      throw new StartupError(`${origin}: ${key}: ${describeAlternative(effect)}`);
    case "model-kind":
      return { type: "kind", kind: effect.modelKind };
    case "choice":
      return toSetting(effect.flag, effect.value ?? "true");
    case "setting": {
      const text = toOwnValue(value, effect);
      return text === undefined ? NOTHING : toSetting(effect.flag, text, effect.isTotal);
    }
  }
}

const settingByFlag = new Map(
  settingsOfPresets("generation").map((name) => [flagOf(name), name] as const),
);

function findSetting(flag: string, key: string, origin: Origin): ModelSettingName {
  const name = settingByFlag.get(flag);
  if (name !== undefined) return name;
  throw new StartupError(
    `${origin}: ${key}: expected a flag of llama-server or ggufd for models, without its dashes, got ${preview(key)}`,
  );
}

function textOf(
  name: ModelSettingName,
  own: TranslatedSection,
  shared: TranslatedSection,
): string | undefined {
  return (own.values.get(name) ?? shared.values.get(name))?.text;
}

function createIniLayer({ values }: TranslatedSection, origin: Origin, slots: unknown): Layer {
  return {
    lookUp(key, form) {
      const givenText = values.get(key);
      if (givenText === undefined) return undefined;
      const text = givenText.isTotal ? divideContext(givenText.text, slots) : givenText.text;
      return { value: fromText(form, text), origin };
    },
  };
}
