/** Writes a text into the composer, as if the user had typed it, and focuses the composer. */
export function fillComposer(text: string): void {
  const field = findField();
  if (field === null) return;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  field.focus();
}

/**
 * Focuses the composer before the clicked control disappears or is disabled: the focus would fall to the page, where
 * typed text is shortcuts. Does nothing on touch screens, whose keyboard would cover the answer.
 */
export function focusComposer(): void {
  if (matchMedia("(hover: none)").matches) return;
  findField()?.focus();
}

function findField(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>(".composer textarea");
}
