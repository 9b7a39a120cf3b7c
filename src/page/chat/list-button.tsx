import { signal } from "@preact/signals";
import { IconButton } from "../parts/icon.js";

const isHidden = signal(false);

/** Shows or hides the list of chats on a wide screen. */
export function ListButton() {
  const { value: hidden } = isHidden;
  const toggle = () => {
    isHidden.value = !hidden;
    document.documentElement.dataset.list = hidden ? "shown" : "hidden";
  };
  return (
    <span class="wide-only">
      <IconButton
        id="list-button"
        icon="menu"
        label="List of chats"
        expanded={!hidden}
        onClick={toggle}
      />
    </span>
  );
}
