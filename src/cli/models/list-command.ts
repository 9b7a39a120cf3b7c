import { escapeHiddenCharacters } from "../../core/hidden-characters.js";
import { formatSiUnits } from "../../core/si-units.js";
import { placeTitles } from "../../models/store/find-model.js";
import { resolveModelPlaces } from "../../models/store/model-folders.js";
import { ModelStore, type StoreListing } from "../../models/store/model-store.js";
import { modifiedMsOf, sizeOf } from "../../models/store/stored-model.js";
import { formatJson } from "../json-output.js";
import { formatTextTable } from "../text-table.js";

export interface ListArguments {
  readonly modelsDir: string | undefined;
  readonly output: "text" | "json";
}

/**
 * Lists the models on this machine.
 * @returns the text to print
 */
export async function runList(
  { modelsDir, output }: ListArguments,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const listing = await new ModelStore(resolveModelPlaces(environment, modelsDir)).list();
  return output === "json" ? formatJson(listing) : describeListing(listing);
}

/** Formats the models as a table, followed by interrupted pulls and unusable files. */
export function describeListing({ models, partials, problems }: StoreListing): string {
  const rows = models.map((model) => [
    model.name,
    `${formatSiUnits(sizeOf(model))}B`,
    new Date(modifiedMsOf(model)).toISOString().slice(0, 10),
    model.projector === undefined ? "" : "projector",
    placeTitles[model.place],
  ]);
  const table = formatTextTable([["name", "size", "changed", "with", "where"], ...rows]);
  const remarks = [
    ...partials.map(
      ({ path, sizeBytes }) =>
        `Partial download: ${formatSiUnits(sizeBytes)}B at ${path}; delete it with ggufd rm PATH.`,
    ),
    ...problems.map(
      ({ path, reason }) =>
        `Not usable: ${reason.startsWith("manifest") ? reason : `${path}: ${reason}`}`,
    ),
  ];
  const lines =
    models.length === 0 ? ["No models on this machine; download one with ggufd pull NAME."] : table;
  const footer = remarks.length === 0 ? [] : ["", ...remarks.map(escapeHiddenCharacters)];
  return `${[...lines, ...footer].join("\n")}\n`;
}
