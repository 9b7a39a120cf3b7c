import { Component, type ComponentChildren } from "preact";
import { messageOf } from "../api/api-error.js";
import { Notice } from "./notice.js";

interface ErrorBoundaryProps {
  /** What cannot be shown when it fails, such as "This message". */
  readonly name: string;
  readonly children: ComponentChildren;
  /** Rendered below the error. Absent: the page can be reloaded. */
  readonly instead?: () => ComponentChildren;
}

interface ErrorBoundaryState {
  readonly failure?: { readonly error: unknown } | undefined;
}

/** A part of the page that may fail to render: an error takes its place, and the rest of the page keeps working. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  static override getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failure: { error } };
  }

  override componentDidCatch(error: unknown) {
    reportError(error);
  }

  render({ name, children, instead }: ErrorBoundaryProps, { failure }: ErrorBoundaryState) {
    // An element of its own: Preact removes what was rendered before the error with it alone.
    if (failure === undefined) {
      return (
        <div key="whole" class="boundary">
          {children}
        </div>
      );
    }
    return (
      <div key="failed" class="boundary">
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
