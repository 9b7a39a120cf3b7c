import { formatSiUnits } from "../../core/si-units.js";
import { resolveModelPlaces } from "../../models/store/model-folders.js";
import { ModelStore } from "../../models/store/model-store.js";

export interface RemoveArguments {
  readonly names: readonly string[];
  readonly modelsDir: string | undefined;
}

export interface AddArguments {
  readonly path: string;
  readonly modelsDir: string | undefined;
}

/**
 * Removes models of ggufd's folder, one after the other.
 * @param print called with the result of each removal
 * @throws {ModelError} for the first model that cannot be removed
 */
export async function runRemove(
  { names, modelsDir }: RemoveArguments,
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<void> {
  const store = new ModelStore(resolveModelPlaces(environment, modelsDir));
  for (const name of names) {
    const removal = await store.remove(name);
    print(
      removal.outcome === "removed"
        ? `${removal.name}: removed, freed ${formatSiUnits(removal.freedBytes)}B`
        : `${removal.name}: unregistered; its files remain at ${removal.paths.join(", ")}`,
    );
  }
}

/**
 * Registers a file or folder.
 * @returns the text to print
 * @throws {ModelError} the path is not a model and contains none
 */
export async function runAdd(
  { path, modelsDir }: AddArguments,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const models = await new ModelStore(resolveModelPlaces(environment, modelsDir)).add(path);
  return models.map(({ name, files: [file] }) => `${name}: added, at ${file.path}\n`).join("");
}
