import type { z } from "zod";
import { computingSettings } from "./computing.js";
import { memorySettings } from "./memory.js";
import { modelsSettings } from "./models.js";
import { networkSettings } from "./network.js";
import { observationSettings } from "./observation.js";
import { schedulingSettings } from "./scheduling.js";
import type { Setting } from "./setting.js";
import { todosSettings } from "./todos.js";

/** Path of the model that a fresh clone serves, relative to the package root. */
export const SHIPPED_MODEL = "models/ggufd-mini.gguf";

/** The settings by what they are about, as the help shows them. */
export const settingGroups = {
  Models: modelsSettings,
  Memory: memorySettings,
  Computing: computingSettings,
  Scheduling: schedulingSettings,
  Network: networkSettings,
  Observation: observationSettings,
  "To-dos": todosSettings,
} as const satisfies Record<string, Record<string, Setting>>;

/**
 * All settings: `contextSize` is the flag `--context-size`, the environment variable
 * `GGUFD_CONTEXT_SIZE` and the key `contextSize` of the configuration file.
 */
export const settings = {
  ...modelsSettings,
  ...memorySettings,
  ...computingSettings,
  ...schedulingSettings,
  ...networkSettings,
  ...observationSettings,
  ...todosSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** All settings, validated and complete. */
export type Config = {
  readonly [Name in SettingName]: z.output<(typeof settings)[Name]["schema"]>;
};

/** The settings that are facts of models. */
export type ModelSettingName = {
  readonly [Name in SettingName]: (typeof settings)[Name]["factOf"] extends "server" ? never : Name;
}[SettingName];

export const settingNames = Object.keys(settings) as SettingName[];

/** `contextSize` → `--context-size` */
export function flagOf(name: string): string {
  return `--${words(name).join("-")}`;
}

/** `contextSize` → `GGUFD_CONTEXT_SIZE` */
export function environmentVariableOf(name: string): string {
  return `GGUFD_${words(name).join("_").toUpperCase()}`;
}

function words(name: string): string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).split("-");
}
