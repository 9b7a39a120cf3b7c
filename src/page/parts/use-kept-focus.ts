import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Keeps the focus near the user's position when the focused element disappears; otherwise keyboard
 * navigation would restart at the top of the page.
 * @param container element that contains the focus
 * @param fallback element that receives the focus instead
 */
export function useKeptFocus(
  container: () => Element | null | undefined,
  fallback: () => HTMLElement | null | undefined,
): void {
  const hadFocus = useRef(false);
  // Runs before this rendering changes the document.
  hadFocus.current = container()?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) fallback()?.focus();
  });
}
