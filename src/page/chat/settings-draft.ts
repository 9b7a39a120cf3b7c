import {
  type ChatSettings,
  findSamplingProblem,
  type SamplingField,
  samplingNames,
} from "./chat-settings.js";
import { findToolsProblem } from "./check-tools.js";

/** The settings of a chat as typed, before validation. */
export interface SettingsDraft {
  readonly instructions: string;
  readonly tools: string;
  readonly sampling: Readonly<Partial<Record<SamplingField, string>>>;
  readonly probabilities: boolean;
}

export function toDraft({
  instructions = "",
  tools = "",
  sampling,
  probabilities = false,
}: ChatSettings): SettingsDraft {
  return {
    instructions,
    tools,
    sampling: Object.fromEntries(
      samplingNames.flatMap((name) => {
        const value = sampling[name];
        return value === undefined ? [] : [[name, `${value}`]];
      }),
    ),
    probabilities,
  };
}

/** Restores a draft that was kept as JSON. @returns `undefined` if there is none */
export function parseDraft(text: string): SettingsDraft | undefined {
  try {
    const { instructions, tools, sampling, probabilities } = JSON.parse(text);
    if (typeof instructions !== "string" || typeof tools !== "string") return undefined;
    return { instructions, tools, sampling: sampling ?? {}, probabilities: probabilities === true };
  } catch {
    return undefined;
  }
}

/** Problems of a draft, by field. */
export interface DraftProblems {
  readonly tools: string | undefined;
  readonly sampling: Readonly<Partial<Record<SamplingField, string>>>;
}

export function findProblems({ tools, sampling }: SettingsDraft): DraftProblems {
  return {
    tools: findToolsProblem(tools),
    sampling: Object.fromEntries(
      samplingNames.flatMap((name) => {
        const problem = findSamplingProblem(name, sampling[name] ?? "");
        return problem === undefined ? [] : [[name, problem]];
      }),
    ),
  };
}

export function hasProblems({ tools, sampling }: DraftProblems): boolean {
  return tools !== undefined || Object.keys(sampling).length > 0;
}

/** Converts a draft without problems to settings. */
export function settingsOfDraft({
  instructions,
  tools,
  sampling,
  probabilities,
}: SettingsDraft): Omit<ChatSettings, "model"> {
  return {
    instructions: instructions.trim() === "" ? undefined : instructions,
    tools: tools.trim() === "" ? undefined : tools,
    sampling: Object.fromEntries(
      samplingNames.flatMap((name) => {
        const text = sampling[name]?.trim() ?? "";
        return text === "" ? [] : [[name, Number(text)]];
      }),
    ),
    probabilities,
  };
}
