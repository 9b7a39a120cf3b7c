import { Notice } from "./notice.js";
import type { Action } from "./use-action.js";

/** Error of an action, if it failed. */
export function ActionNotice({ action }: { readonly action: Action }) {
  if (action.errorMessage === undefined) return null;
  return (
    <Notice message={action.errorMessage}>
      <button type="button" onClick={action.tryAgain}>
        Try again
      </button>
      <button type="button" onClick={action.dismiss}>
        Dismiss
      </button>
    </Notice>
  );
}
