/** Writes a text into the composer, as if the user had typed it, and focuses the composer. */
export function fillComposer(text: string): void {
  const field = document.querySelector<HTMLTextAreaElement>(".composer textarea");
  if (field === null) return;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  field.focus();
}
