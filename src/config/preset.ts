import type { ModelKind } from "../core/model-directory.js";
import { StartupError } from "../core/startup-error.js";
import type { Layer } from "./layers.js";
import { parseModelReference } from "./model-reference.js";
import { fieldOf, namesOf, poolingNames } from "./model-spec.js";
import type { ModelSettingName, Origin } from "./settings.js";

/** Model as defined in a presets file. */
export interface Preset {
  readonly name: string;
  readonly kind: ModelKind;
  /** The model's section, followed by the section for all models. */
  readonly layers: readonly Layer[];
  /** Origin of its section, e.g. `models.yaml [qwen3]`. */
  readonly origin: Origin;
  /** Keys without effect, with the reason, as lines for the start. */
  readonly notices: readonly string[];
}

/** Returns the origin of a section of a presets file. */
export function sectionOf(path: string, name: string): Origin {
  return `${path} [${name}]`;
}

/**
 * Requires a model's path unless its name is one of the store.
 * @throws {StartupError} the path is missing
 */
export function expectModel(name: string, model: unknown, origin: Origin): void {
  if (model !== undefined || parseModelReference(name).kind === "name") return;
  throw new StartupError(`${origin}: model: expected a path or a name, got nothing`);
}

/** Returns the settings allowed in a preset, by their names in the configuration file. */
export function settingsOfPresets(kind: ModelKind): readonly ModelSettingName[] {
  // The file of a generation preset may turn out to contain a pooling model.
  const names = kind === "generation" ? [...namesOf(kind), ...poolingNames] : namesOf(kind);
  const ownNames = names.filter((name) => fieldOf(name) !== "alias" && fieldOf(name) !== "file");
  return ["model", ...ownNames];
}
