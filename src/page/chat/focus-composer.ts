/**
 * Focuses the composer before the clicked control disappears or is disabled: the focus would fall to the page, where
 * typed text is shortcuts. Does nothing on touch screens, whose keyboard would cover the answer.
 */
export function focusComposer(): void {
  if (matchMedia("(hover: none)").matches) return;
  document.querySelector<HTMLTextAreaElement>(".composer textarea")?.focus();
}
