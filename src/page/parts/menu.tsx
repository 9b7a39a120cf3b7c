import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.js";

interface MenuButtonProps {
  /** Accessible name, which says what the actions apply to. */
  readonly label: string;
  readonly isOpen: boolean;
  /** Called with the button, the anchor of the menu. */
  readonly onOpen: (anchor: HTMLElement) => void;
}

/** Button that opens a menu with more actions. */
export function MenuButton({ label, isOpen, onOpen }: MenuButtonProps) {
  // A press outside of an open menu closes it, so a press of its button must not open it again.
  const isClosing = useRef(false);
  return (
    <button
      type="button"
      class="icon-button more"
      aria-label={label}
      title="More"
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onPointerDown={() => {
        isClosing.current = isOpen;
      }}
      onClick={({ currentTarget }) => {
        if (!isClosing.current) onOpen(currentTarget);
        isClosing.current = false;
      }}
    >
      <Icon name="more" />
    </button>
  );
}

export interface MenuEntry {
  readonly label: string;
  readonly icon?: IconName;
  /** Whether the entry deletes something. */
  readonly isDangerous?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  /** Button that opened the menu; it gets the focus back. */
  readonly anchor: HTMLElement;
  /** Accessible name. */
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly onClose: () => void;
}

/** Distance from the anchor and from the edges of the window. */
const GAP_PIXELS = 4;

/** Open menu below a button, with the keyboard of the ARIA menu pattern. */
export function Menu({ anchor, label, entries, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current: element } = menu;
    if (element === null) return;
    element.showPopover();
    placeBelow(element, anchor);
    itemsOf(element)[0]?.focus();
  }, []);
  const close = () => {
    anchor.focus();
    menu.current?.hidePopover();
  };
  return (
    <div
      ref={menu}
      class="menu"
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onToggle={({ newState }) => newState === "closed" && onClose()}
      onKeyDown={(event) => {
        const { current: element } = menu;
        if (element === null) return;
        const next = findNext(itemsOf(element), event.key);
        if (next !== undefined) next.focus();
        else if (event.key === "Tab" || event.key === "Escape") close();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {entries.map(({ label: text, icon, isDangerous, onSelect }) => (
        <button
          key={text}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={isDangerous ? "danger" : undefined}
          onClick={() => {
            close();
            onSelect();
          }}
        >
          {icon !== undefined && <Icon name={icon} />}
          {text}
        </button>
      ))}
    </div>
  );
}

function itemsOf(menu: HTMLElement): readonly HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}

/** Returns the item that a key moves the focus to; `undefined`: the key does not move it. */
function findNext(items: readonly HTMLElement[], key: string): HTMLElement | undefined {
  const index = items.findIndex((item) => item.matches(":focus"));
  switch (key) {
    case "ArrowDown":
      return items[(index + 1) % items.length];
    case "ArrowUp":
      return items.at(index <= 0 ? -1 : index - 1);
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    default: {
      if (key.length !== 1 || key === " ") return undefined;
      const others = [...items.slice(index + 1), ...items.slice(0, index + 1)];
      const letter = key.toLowerCase();
      return others.find(({ textContent }) => textContent?.toLowerCase().startsWith(letter));
    }
  }
}

/** Places a menu below its anchor, or above it where there is no space, within the window. */
function placeBelow(menu: HTMLElement, anchor: HTMLElement): void {
  const { top, bottom, right } = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const below = bottom + GAP_PIXELS;
  const isBelow = below + height + GAP_PIXELS <= innerHeight;
  const left = Math.min(right - width, innerWidth - width - GAP_PIXELS);
  menu.style.top = `${Math.max(GAP_PIXELS, isBelow ? below : top - height - GAP_PIXELS)}px`;
  menu.style.left = `${Math.max(GAP_PIXELS, left)}px`;
}
