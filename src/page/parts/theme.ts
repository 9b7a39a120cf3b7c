import { signal } from "@preact/signals";

/** `system`: as the browser prefers. */
const themes = ["system", "light", "dark"] as const;

export type Theme = (typeof themes)[number];

/** Local storage key of the choice. `style/apply-theme.ts` reads it before the first paint. */
const STORED_THEME = "ggufd.theme";

const { dataset } = document.documentElement;

/** The chosen theme. */
export const theme = signal<Theme>(themes.find((one) => one === dataset.theme) ?? "system");

/** Returns the theme after the current one. The one after `system` always looks different. */
export function nextTheme(): Theme {
  const isSystemDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const order: readonly Theme[] = isSystemDark
    ? ["system", "light", "dark"]
    : ["system", "dark", "light"];
  return order[(order.indexOf(theme.value) + 1) % order.length] ?? "system";
}

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === "system") {
    delete dataset.theme;
    localStorage.removeItem(STORED_THEME);
  } else {
    dataset.theme = chosen;
    localStorage.setItem(STORED_THEME, chosen);
  }
}
