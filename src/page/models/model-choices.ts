import type { ListedModel } from "../../api/models/models.js";
import { formatBytes } from "../../live-metrics/units.js";
import { describeState } from "./model-text.js";

/** Models of a conversation in the same state. */
export interface ChoiceGroup {
  readonly title: string;
  readonly models: readonly ListedModel[];
}

/** Why a model without a readable header cannot be loaded. */
export const UNREADABLE = "Its file cannot be read as a model.";

/** Whether a model generates text; assumed while its kind is unknown. */
export function generatesText({ capabilities, details }: ListedModel): boolean {
  if (capabilities !== undefined) return capabilities.includes("completion");
  return (details?.kind ?? "generation") === "generation";
}

/** Finds a model by its name or one of its aliases. */
export function findModel(models: readonly ListedModel[], name: string): ListedModel | undefined {
  return (
    models.find(({ id }) => id === name) ?? models.find(({ aliases }) => aliases.includes(name))
  );
}

/**
 * Chooses a model for a new conversation if the server has no default model: one in memory, else
 * the most recently used one.
 */
export function suggestModel(models: readonly ListedModel[]): ListedModel | undefined {
  const usable = models.filter((model) => findProblem(model) === undefined);
  const inMemory = usable.find(({ status }) => status.value !== "unloaded");
  const lastUsed = (model: ListedModel) => model.details?.last_used_at ?? 0;
  return inMemory ?? usable.toSorted((one, other) => lastUsed(other) - lastUsed(one))[0];
}

/** Returns why a model that is not loaded cannot be loaded; `undefined`: no reason is known. */
export function findProblem({ status, details }: ListedModel): string | undefined {
  if (status.value !== "unloaded") return undefined;
  if (status.failed) return status.reason ?? "The last load failed.";
  return details?.kind === null ? UNREADABLE : undefined;
}

/** Groups the models that generate text by their state, in the order of the list. */
export function groupChoices(models: readonly ListedModel[], filter = ""): readonly ChoiceGroup[] {
  const words = filter.toLowerCase().split(/\s+/);
  const isWanted = ({ id, aliases }: ListedModel) => {
    const names = [id, ...aliases].join(" ").toLowerCase();
    return words.every((word) => names.includes(word));
  };
  const choices = models.filter((model) => generatesText(model) && isWanted(model));
  return GROUPS.map(({ title, contains }) => ({ title, models: choices.filter(contains) })).filter(
    (group) => group.models.length > 0,
  );
}

const isAbsent = ({ status }: ListedModel) => status.value === "unloaded";

const GROUPS: readonly { title: string; contains: (model: ListedModel) => boolean }[] = [
  { title: "In memory", contains: (model) => !isAbsent(model) && !isLoading(model) },
  { title: "Loading", contains: isLoading },
  {
    title: "Not loaded",
    contains: (model) => isAbsent(model) && findProblem(model) === undefined,
  },
  { title: "Could not be loaded", contains: (model) => findProblem(model) !== undefined },
];

function isLoading({ status }: ListedModel): boolean {
  return status.value === "loading";
}

/** Describes a model in a list of choices: `4.8 MB, Q8_0, text and images`. */
export function describeChoice(model: ListedModel): string {
  const { meta, details, status } = model;
  const size = details?.size ?? meta?.size;
  return [
    ...(status.value === "loading" || status.value === "unloading" ? [describeState(status)] : []),
    ...(size === undefined || size === null ? [] : [formatBytes(size)]),
    ...(details?.quantization ? [details.quantization] : []),
    describeInputs(model),
  ].join(", ");
}

/** Describes the input that a model accepts: `text and images`. */
export function describeInputs({ architecture, capabilities, details }: ListedModel): string {
  const kinds = architecture.input_modalities;
  const media = [
    ...(kinds.includes("image") ? ["images"] : []),
    ...(kinds.includes("audio") ? ["audio"] : []),
  ];
  if (media.length > 0) return ["text", ...media].join(media.length === 1 ? " and " : ", ");
  const mayAcceptMedia = capabilities === undefined && details?.has_projector === true;
  return mayAcceptMedia ? "text, and images or audio" : "text";
}
