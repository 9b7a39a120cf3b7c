import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Keeps the focus where the user is when what had it goes: a keyboard would begin at the top of the page again.
 * @param container what the user is in
 * @param fallback what gets the focus then
 */
export function useKeptFocus(
  container: () => Element | null | undefined,
  fallback: () => HTMLElement | null | undefined,
): void {
  const hadFocus = useRef(false);
  // Before this rendering changes the document.
  hadFocus.current = container()?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) fallback()?.focus();
  });
}
