import type { ComponentChildren } from "preact";

interface NoticeProps {
  /** In the server's words, where it has said something. */
  readonly message: string;
  /** What can be done about it. */
  readonly children?: ComponentChildren;
}

/** What went wrong. */
export function Notice({ message, children }: NoticeProps) {
  return (
    <div class="notice" role="alert">
      <p>{message}</p>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}
