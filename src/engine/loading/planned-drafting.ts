import { open } from "node:fs/promises";
import type { Llama } from "node-llama-cpp";
import { StartupError } from "../../core/startup-error.js";
import type { NativeCompanion } from "../native/companion/native-companion.js";
import { EAGLE3, findEagle3Obstacle, findUnknownToken } from "./eagle3-head.js";
import { type InspectedModel, inspectModel } from "./inspected-model.js";

/** Configured drafters, in addition to prompt lookup. */
export interface DraftingSettings {
  /** Path of a small model with the same vocabulary, or of an EAGLE-3 head. */
  readonly draftModelPath: string | undefined;
  /**
   * `auto` loads the model's layers for multi-token prediction, if it has any and no draft file is
   * given.
   */
  readonly mtp: "auto" | "off";
}

/** llama.cpp architectures that only draft for another model. */
const DRAFT_ONLY_ARCHITECTURES: Readonly<Record<string, string>> = {
  [EAGLE3]: "an EAGLE-3 head",
  dflash: "a DFlash or DSpark draft",
  "gemma4-assistant": "a Gemma 4 assistant",
};

/** @throws {StartupError} the model can only draft for another one */
export function rejectDraftAlone(model: InspectedModel): void {
  const draft = describeDraftOnly(model);
  if (draft === undefined) return;
  throw createError(model, `${draft}, which can only draft for another model`);
}

function describeDraftOnly({ architecture, metadata }: InspectedModel): string | undefined {
  if (metadata.mtpLayers.kind === "alone") return "layers for multi-token prediction";
  return DRAFT_ONLY_ARCHITECTURES[architecture];
}

/** The drafter to load. */
export type PlannedDrafting =
  /** `reason` states why the model's own layers are not used. */
  | { readonly kind: "none"; readonly reason?: string }
  /** The model's own layers for multi-token prediction. */
  | { readonly kind: "mtp"; readonly layers: number }
  | { readonly kind: "model"; readonly file: InspectedModel }
  | {
      readonly kind: "eagle3";
      readonly file: InspectedModel;
      readonly targetLayers: readonly number[];
    };

/**
 * Selects the drafter, depending on the files.
 * @throws {StartupError} names the draft's file and why it cannot be used
 */
export async function planDrafting(
  llama: Llama,
  { draftModelPath, mtp }: DraftingSettings,
  main: InspectedModel,
  companion: NativeCompanion,
): Promise<PlannedDrafting> {
  if (draftModelPath === undefined)
    return mtp === "off" ? { kind: "none" } : planMtpDrafting(main, companion);
  const file = await inspectModel(llama, { role: "draft", path: draftModelPath });
  const { eagle3 } = file.metadata;
  if (eagle3 === undefined) {
    const draftOnly = describeDraftOnly(file);
    if (draftOnly !== undefined)
      throw createError(file, `${draftOnly}, which is not supported as a draft`);
    return { kind: "model", file };
  }
  const target = {
    architecture: main.architecture,
    width: main.metadata.embeddingLength,
    layers: main.metadata.layers,
  };
  const obstacle = findEagle3Obstacle(eagle3, target) ?? findStatesObstacle(companion);
  if (obstacle !== undefined) throw createError(file, obstacle);
  return { kind: "eagle3", file, targetLayers: eagle3.targetLayers };
}

/** Returns the drafter's file, if it has a separate one. */
export function draftFileOf(drafting: PlannedDrafting): InspectedModel | undefined {
  return drafting.kind === "model" || drafting.kind === "eagle3" ? drafting.file : undefined;
}

function planMtpDrafting(
  { metadata }: InspectedModel,
  companion: NativeCompanion,
): PlannedDrafting {
  const { mtpLayers } = metadata;
  if (mtpLayers.kind === "none" || mtpLayers.kind === "alone") return { kind: "none" };
  const reason = mtpLayers.kind === "unusable" ? mtpLayers.reason : findStatesObstacle(companion);
  if (mtpLayers.kind === "unusable" || reason !== undefined) {
    return { kind: "none", ...(reason !== undefined && { reason }) };
  }
  return { kind: "mtp", layers: mtpLayers.layers };
}

/** Returns the reason why hidden states cannot be read; `undefined` if they can. */
function findStatesObstacle(companion: NativeCompanion): string | undefined {
  const missingFunction = companion.missingForHiddenStates();
  return missingFunction && `the native library has no function ${missingFunction}`;
}

/**
 * Checks a head's token map, which llama.cpp does not check.
 * @throws {StartupError} the map contains a token that the model lacks
 */
export async function checkTokenMap(file: InspectedModel, vocabularySize: number): Promise<void> {
  const map = file.metadata.eagle3?.tokenMap;
  if (map === undefined) return;
  const handle = await open(file.path);
  try {
    const bytes = Buffer.alloc(map.tokens * 8);
    await handle.read(bytes, 0, bytes.length, map.fileOffset);
    const unknownToken = findUnknownToken(bytes, vocabularySize);
    if (unknownToken === undefined) return;
    throw createError(
      file,
      `its tensor d2t contains token ${unknownToken}, but the model has ${vocabularySize} tokens`,
    );
  } finally {
    await handle.close();
  }
}

function createError({ role, path }: InspectedModel, reason: string): StartupError {
  return new StartupError(`${role} ${path}: ${reason}`);
}
