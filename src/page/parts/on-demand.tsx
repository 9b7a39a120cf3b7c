import { signal } from "@preact/signals";
import type { ComponentType, FunctionComponent } from "preact";
import { messageOf } from "../api/api-error.js";
import { Notice } from "./notice.js";

/** Wraps a component whose code is loaded when it is first shown. */
export function loadOnDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): FunctionComponent<Props> {
  const component = signal<{ readonly Loaded: ComponentType<Props> } | undefined>(undefined);
  const errorMessage = signal<string | undefined>(undefined);
  let isLoading = false;
  const begin = async () => {
    if (isLoading) return;
    isLoading = true;
    errorMessage.value = undefined;
    try {
      component.value = { Loaded: await load() };
    } catch (error) {
      errorMessage.value = messageOf(error);
    }
    isLoading = false;
  };
  return (props) => {
    if (component.value !== undefined) {
      const { Loaded } = component.value;
      return <Loaded {...props} />;
    }
    if (errorMessage.value !== undefined) {
      return (
        <Notice message={errorMessage.value}>
          <button type="button" onClick={() => void begin()}>
            Try again
          </button>
        </Notice>
      );
    }
    void begin();
    return null;
  };
}
