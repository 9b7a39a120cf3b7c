import { Component, type ComponentChildren, type RefObject } from "preact";
import { messageOf } from "../api/api-error.js";
import { Notice } from "./notice.js";

interface ErrorBoundaryProps {
  /** Name of the part that fails to render, such as "This message". */
  readonly name: string;
  readonly children: ComponentChildren;
  /** Rendered below the error. Absent: the page can be reloaded. */
  readonly instead?: () => ComponentChildren;
  /** Receives the element that contains the children. */
  readonly elementRef?: RefObject<HTMLDivElement | null>;
}

interface ErrorBoundaryState {
  readonly failure?: { readonly error: unknown } | undefined;
}

/**
 * Boundary around a part of the page: if rendering it fails, an error is shown in its place and the
 * rest keeps working.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  static override getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failure: { error } };
  }

  override componentDidCatch(error: unknown) {
    reportError(error);
  }

  render(
    { name, children, instead, elementRef }: ErrorBoundaryProps,
    { failure }: ErrorBoundaryState,
  ) {
    // Different keys make Preact remove the output rendered before the error.
    if (failure === undefined) {
      return (
        <div key="whole" ref={elementRef ?? null} class="boundary">
          {children}
        </div>
      );
    }
    return (
      <div key="failed" ref={elementRef ?? null} class="boundary">
        <Notice message={`${name} could not be shown: ${messageOf(failure.error)}`}>
          {instead === undefined && (
            <button type="button" onClick={() => location.reload()}>
              Reload the page
            </button>
          )}
        </Notice>
        {instead?.()}
      </div>
    );
  }
}
