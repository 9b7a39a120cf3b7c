import type { ComponentChildren } from "preact";

interface NoticeProps {
  /** Message of the server, if there is one. */
  readonly message: string;
  /** Suggested actions. */
  readonly children?: ComponentChildren;
}

/** An error message. */
export function Notice({ message, children }: NoticeProps) {
  return (
    <div class="notice" role="alert">
      <p>{message}</p>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}
