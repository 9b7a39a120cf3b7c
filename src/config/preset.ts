import type { ModelKind } from "../core/model-directory.js";
import { StartupError } from "../core/startup-error.js";
import type { Layer } from "./layers.js";
import { referenceOf } from "./model-reference.js";
import { fieldOf, namesOf, poolingNames } from "./model-spec.js";
import type { ModelSettingName, Origin } from "./settings.js";

/** A model as its file describes it. */
export interface Preset {
  readonly name: string;
  readonly kind: ModelKind;
  /** Its own section, then what the file says of all models. */
  readonly layers: readonly Layer[];
  /** Of its section, e.g. `models.yaml [qwen3]`. */
  readonly origin: Origin;
}

/** The place of what a presets file says of a model, or of all of them. */
export function sectionOf(path: string, name: string): Origin {
  return `${path} [${name}]`;
}

/**
 * A name of the store is where its model is found; any other needs a file.
 * @throws {StartupError} there is none
 */
export function expectModel(name: string, model: unknown, origin: Origin): void {
  if (model !== undefined || referenceOf(name).kind === "name") return;
  throw new StartupError(`${origin}: model: expected a path or a name, got nothing`);
}

/** The settings that a preset of a model may have, by their names in the configuration file. */
export function settingsOfPresets(kind: ModelKind): readonly ModelSettingName[] {
  // The file of a model that is said to generate text may turn out to be for something else.
  const names = kind === "generation" ? [...namesOf(kind), ...poolingNames] : namesOf(kind);
  const own = names.filter((name) => fieldOf(name) !== "alias" && fieldOf(name) !== "file");
  return ["model", ...own];
}
