/**
 * Applies the chosen theme before the first paint: a script that blocks rendering. It imports
 * nothing, so that it is one small file. `parts/theme.ts` stores the choice.
 */
try {
  const theme = localStorage.getItem("ggufd.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the theme is the system's.
}
