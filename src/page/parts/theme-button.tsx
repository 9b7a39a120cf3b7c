import { announce } from "./announcer.js";
import { IconButton } from "./icon.js";
import { nextTheme, setTheme, theme } from "./theme.js";

/** Switches between the themes of the system, light and dark. */
export function ThemeButton() {
  const change = () => {
    const next = nextTheme();
    setTheme(next);
    announce(`Theme: ${next}`);
  };
  return <IconButton icon="theme" label={`Theme: ${theme.value}`} onClick={change} />;
}
