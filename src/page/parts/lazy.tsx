import type { ComponentChild, ComponentType } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A component whose code is loaded on demand. */
export type LazyComponent<Props> = ComponentType<Props> & {
  /** Loads the code before the component is rendered. Failures are reported when it is. */
  preload(): void;
};

/**
 * Wraps a component so that its code is loaded when it is first rendered.
 * @param load imports the component
 * @param placeholder shown meanwhile
 * @throws while rendering, the error of a failed import
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ComponentChild = null,
): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const loadOnce = () => {
    loading ??= load().then(
      (component) => {
        Loaded = component;
      },
      (error: unknown) => {
        // The next rendering tries again.
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  function Lazy(props: Props) {
    const [failure, setFailure] = useState<{ readonly error: unknown }>();
    const [, setLoaded] = useState(Loaded !== undefined);
    useLayoutEffect(() => {
      if (Loaded !== undefined) return;
      loadOnce().then(
        () => setLoaded(true),
        (error: unknown) => setFailure({ error }),
      );
    }, []);
    if (failure !== undefined) throw failure.error;
    return Loaded === undefined ? placeholder : <Loaded {...props} />;
  }
  return Object.assign(Lazy, { preload: () => void loadOnce().catch(() => undefined) });
}
