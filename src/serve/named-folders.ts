import { stat } from "node:fs/promises";
import type { ModelSpec } from "../config/model-spec.js";
import { type Config, flagOf, type SettingName } from "../config/settings.js";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { expectFolder } from "../files/named-files.js";

/**
 * Checks the configured folders before anything slow is started.
 * @throws {StartupError} naming the option and the path, if it is not a folder, or if a folder that
 *   must exist is missing
 */
export async function expectNamedFolders(
  { allowRuntimeLora, modelsDir }: Pick<Config, "allowRuntimeLora" | "modelsDir">,
  specs: readonly ModelSpec[],
): Promise<void> {
  await expectExisting("allowRuntimeLora", allowRuntimeLora);
  // The following folders are created if they are missing.
  await expectIfThere("modelsDir", modelsDir);
  for (const spec of specs) {
    if (spec.kind !== "generation") continue;
    await expectIfThere("cacheDir", spec.cacheDir);
    await expectIfThere("slotSavePath", spec.slotSavePath);
  }
}

async function expectExisting(setting: SettingName, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    expectFolder(await stat(path));
  } catch (error) {
    throw new StartupError(`${flagOf(setting)} ${path}: ${formatReason(error)}`, error);
  }
}

async function expectIfThere(setting: SettingName, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere) await expectExisting(setting, path);
}
