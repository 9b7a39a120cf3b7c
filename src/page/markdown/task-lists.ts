import type { Token } from "markdown-it/browser";

const MARK = /^\[([ xX])\](?=\s)/;
const BOXES = { open: "☐", done: "☑" } as const;

/** Replaces the checkboxes of GitHub's task lists, such as `- [x] Buy milk`. */
export function replaceTasks(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "inline" || tokens[index - 2]?.type !== "list_item_open") continue;
    token.content = token.content.replace(MARK, (_, mark) =>
      mark === " " ? BOXES.open : BOXES.done,
    );
  }
}

/** @param token text at the start of a list item */
export function startsWithTask(token: Token | undefined): boolean {
  const text = token?.type === "inline" ? token.content : "";
  return text.startsWith(BOXES.open) || text.startsWith(BOXES.done);
}
