import { useEffect, useState } from "preact/hooks";
import { client } from "../session.js";
import { type ModelDefaults, type Props, toModelDefaults } from "./model-defaults.js";

/**
 * Reads the defaults of a model once it is loaded.
 * @param model name; `undefined`: none
 * @returns no defaults while they are unknown
 */
export function useModelDefaults(model: string | undefined, isLoaded: boolean): ModelDefaults {
  const [defaults, setDefaults] = useState<ModelDefaults>({});
  useEffect(() => {
    setDefaults({});
    if (model === undefined || !isLoaded) return;
    const controller = new AbortController();
    const { signal } = controller;
    client
      .json<Props>(`/props?model=${encodeURIComponent(model)}`, { signal })
      .then((props) => setDefaults(toModelDefaults(props)))
      // The placeholders stay empty: the settings work without them.
      .catch(() => undefined);
    return () => controller.abort();
  }, [model, isLoaded]);
  return defaults;
}
