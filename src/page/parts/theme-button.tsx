import { announce } from "./announcer.js";
import { IconButton } from "./icon.js";
import { setTheme, theme, themes } from "./theme.js";

/** Switches between the themes of the system, light and dark. */
export function ThemeButton() {
  const change = () => {
    const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
    setTheme(next);
    announce(`Theme: ${next}`);
  };
  return <IconButton icon="theme" label={`Theme: ${theme.value}`} onClick={change} />;
}
