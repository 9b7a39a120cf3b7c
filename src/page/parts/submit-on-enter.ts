/** Key code of keys that an input method handles, in browsers that report no `isComposing`. */
const INPUT_METHOD_KEY_CODE = 229;

/**
 * Key handler of a multi-line text box: Enter submits its form, Shift+Enter starts a new line. While
 * an input method composes a character, Enter belongs to the input method.
 */
export function submitOnEnter(event: KeyboardEvent): void {
  const isComposing = event.isComposing || event.keyCode === INPUT_METHOD_KEY_CODE;
  if (event.key !== "Enter" || event.shiftKey || isComposing) return;
  event.preventDefault();
  if (event.currentTarget instanceof HTMLTextAreaElement) event.currentTarget.form?.requestSubmit();
}
