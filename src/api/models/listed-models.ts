import { GgufdError } from "../../core/errors.js";
import type { ModelDirectory } from "../../core/model-directory.js";
import type { LibraryModel, ModelLibrary } from "../../core/model-library.js";
import type { LibraryContext, ModelContext } from "../description/described-route.js";
import type { ReasonDetail } from "./load-failure.js";
import { toModelDetails } from "./model-details.js";
import { type ListedModel, toAdapter, toDownload, toModel } from "./models.js";
import type { RequestedLoads } from "./requested-loads.js";

/** Dependencies of the routes that describe models, loaded or not. */
export interface ModelsContext extends ModelContext, LibraryContext {
  readonly loads: RequestedLoads;
}

export interface ListOptions {
  readonly reasons: ReasonDetail;
  /** Whether models have `details`. */
  readonly hasDetails: boolean;
}

/**
 * Lists all models, including those being fetched.
 * @throws {GgufdError} as {@link ModelDirectory.list}
 */
export async function listAllModels(
  { models, library }: ModelsContext,
  { reasons, hasDetails }: ListOptions,
): Promise<readonly ListedModel[]> {
  models.list();
  const entries = await library.list();
  const names = new Set(entries.map(({ alias }) => alias));
  const headers = hasDetails ? await library.readHeaders(entries) : undefined;
  return [
    ...entries.flatMap((entry) =>
      [
        toModel(entry, reasons),
        // A model takes precedence over an adapter of the same name.
        ...entry.adapters
          .filter(({ name }) => !names.has(name))
          .map(({ name }) => toAdapter(entry, name, reasons)),
      ].map((listed) => ({
        ...listed,
        ...(headers && { details: toModelDetails(entry, headers.get(entry.alias)) }),
      })),
    ),
    ...library.pulls.filter(({ name }) => !names.has(name)).map(toDownload),
  ];
}

/**
 * Finds a model to describe. If no model has the name, the directory resolves it.
 * @throws {GgufdError} as {@link ModelDirectory.findEntry}
 */
export async function findModelToShow(context: ModelsContext, name: string): Promise<LibraryModel> {
  const found = await findModel(context, name);
  return found ?? findModelToChange(context, context.models.findEntry(name).alias);
}

/**
 * Finds a model by its exact name. A model that the server was started with can only be changed
 * once it is ready.
 * @throws {GgufdError} as {@link ModelLibrary.findEntry}, and {@link ModelDirectory.findEntry} for a
 *   configured model
 */
export async function findModelToChange(
  { models, library }: ModelsContext,
  name: string,
): Promise<LibraryModel> {
  const model = await library.findEntry(name);
  if (model.from === "configured") models.findEntry(model.alias);
  return model;
}

async function findModel(context: ModelsContext, name: string): Promise<LibraryModel | undefined> {
  try {
    return await findModelToChange(context, name);
  } catch (error) {
    if (error instanceof GgufdError && error.code === "model_not_found") return undefined;
    throw error;
  }
}
