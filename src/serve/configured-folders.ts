import { stat } from "node:fs/promises";
import type { ModelSpec } from "../config/model-spec.js";
import { type Config, flagOf, type SettingName } from "../config/settings.js";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { expectFolder } from "../files/regular-files.js";

/**
 * Checks the configured folders before anything slow is started.
 * @throws {StartupError} naming the option and the path, if it is not a folder, or if a folder that
 *   must exist is missing
 */
export async function expectNamedFolders(
  {
    allowRuntimeLora,
    mediaPath,
    modelsDir,
    batches,
    usage,
  }: Pick<Config, "allowRuntimeLora" | "mediaPath" | "modelsDir" | "batches" | "usage">,
  specs: readonly ModelSpec[],
): Promise<void> {
  await expectExistingFolder("allowRuntimeLora", allowRuntimeLora);
  await expectExistingFolder("mediaPath", mediaPath);
  // The following folders are created if they are missing.
  await expectFolderIfPresent("modelsDir", modelsDir);
  if (batches !== "none") await expectFolderIfPresent("batches", batches);
  if (usage !== "none") await expectFolderIfPresent("usage", usage);
  for (const spec of specs) {
    if (spec.kind !== "generation") continue;
    await expectFolderIfPresent("cacheDir", spec.cacheDir);
    await expectFolderIfPresent("slotSavePath", spec.slotSavePath);
  }
}

async function expectExistingFolder(setting: SettingName, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    expectFolder(await stat(path));
  } catch (error) {
    throw new StartupError(`${flagOf(setting)} ${path}: ${formatReason(error)}`, error);
  }
}

async function expectFolderIfPresent(
  setting: SettingName,
  path: string | undefined,
): Promise<void> {
  if (path === undefined) return;
  const isPresent = await stat(path).then(
    () => true,
    () => false,
  );
  if (isPresent) await expectExistingFolder(setting, path);
}
