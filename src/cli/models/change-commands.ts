import { siUnits } from "../../core/si-units.js";
import { modelPlaces } from "../../models/store/model-places.js";
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
 * @param print called for each with what has become of it
 * @throws {ModelError} the first that cannot be removed
 */
export async function runRemove(
  { names, modelsDir }: RemoveArguments,
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<void> {
  const store = new ModelStore(modelPlaces(environment, modelsDir));
  for (const name of names) {
    const removal = await store.remove(name);
    print(
      removal.outcome === "removed"
        ? `${removal.name}: removed, ${siUnits(removal.freedBytes)}B are free again`
        : `${removal.name}: forgotten; its files stay at ${removal.paths.join(", ")}`,
    );
  }
}

/**
 * Notes a file or folder. @returns the text to print
 * @throws {ModelError} it is no model and has none
 */
export async function runAdd(
  { path, modelsDir }: AddArguments,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const models = await new ModelStore(modelPlaces(environment, modelsDir)).add(path);
  return models.map(({ name, files: [file] }) => `${name}: added, at ${file.path}\n`).join("");
}
