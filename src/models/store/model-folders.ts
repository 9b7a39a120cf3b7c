import { homedir } from "node:os";
import { join } from "node:path";

/** Folders that may hold models: ggufd's own, and those of other programs. */
export interface ModelPlaces {
  /** ggufd's folder for pulled models. */
  readonly own: string;
  readonly huggingFaceCaches: readonly string[];
  readonly ollama: readonly string[];
  readonly lmStudio: readonly string[];
}

/**
 * Determines the model folders from the environment, following each program's rules.
 * @param modelsDir value of `--models-dir`; `undefined`: the user's data folder of the XDG base
 *   directories
 */
export function resolveModelPlaces(
  environment: NodeJS.ProcessEnv,
  modelsDir: string | undefined,
  home: string = homedir(),
): ModelPlaces {
  const cacheHome = environment.XDG_CACHE_HOME || join(home, ".cache");
  const huggingFaceHome = environment.HF_HOME || join(cacheHome, "huggingface");
  return {
    own:
      modelsDir ??
      join(environment.XDG_DATA_HOME || join(home, ".local", "share"), "ggufd", "models"),
    huggingFaceCaches: [
      environment.HF_HUB_CACHE || environment.HUGGINGFACE_HUB_CACHE || join(huggingFaceHome, "hub"),
      // llama.cpp stores its downloads in the same format at this variable's path.
      ...(environment.LLAMA_CACHE ? [environment.LLAMA_CACHE] : []),
    ],
    ollama: environment.OLLAMA_MODELS
      ? [environment.OLLAMA_MODELS]
      : [join(home, ".ollama", "models"), "/usr/share/ollama/.ollama/models"],
    lmStudio: [join(home, ".lmstudio", "models"), join(cacheHome, "lm-studio", "models")],
  };
}
