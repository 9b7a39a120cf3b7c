import { homedir } from "node:os";
import { join } from "node:path";

/** Folders that hold models: ggufd's own, and those of other programs, whether they exist or not. */
export interface ModelPlaces {
  /** Where ggufd keeps what it pulls. */
  readonly own: string;
  readonly huggingFaceCaches: readonly string[];
  readonly ollama: readonly string[];
  readonly lmStudio: readonly string[];
}

/**
 * The folders that the environment names, each program's by its own rules.
 * @param modelsDir as `--models-dir`; `undefined`: in the user's data folder by the XDG base directories
 */
export function modelPlaces(
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
      // llama.cpp keeps what it downloads in the same form, where this variable says.
      ...(environment.LLAMA_CACHE ? [environment.LLAMA_CACHE] : []),
    ],
    ollama: environment.OLLAMA_MODELS
      ? [environment.OLLAMA_MODELS]
      : [join(home, ".ollama", "models"), "/usr/share/ollama/.ollama/models"],
    lmStudio: [join(home, ".lmstudio", "models"), join(cacheHome, "lm-studio", "models")],
  };
}
