/** Outlines on a 24 × 24 grid, drawn in the text colour. */
const PATHS = {
  add: "M12 5v14M5 12h14",
  attach: "M8 12.5 14.5 6a3.5 3.5 0 0 1 5 5l-8 8a5.5 5.5 0 0 1-8-8L11 3.5",
  branch: "M6 4v16M6 14c6 0 12-1 12-7M15 7l3-3 3 3",
  code: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  compare: "M4 5h7v14H4zM15 5h5v14h-5",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  download: "M12 4v11M7 10l5 5 5-5M5 20h14",
  edit: "M4 20l1-5L16 4l4 4L9 19z",
  document: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  key: "M14.5 3a6.5 6.5 0 0 0-6.2 8.4L3 16.7V21h4.3v-3h3v-3h2.3a6.5 6.5 0 1 0 1.9-12M16.5 7.5h.01",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  exitFullScreen: "M9 4v5H4M15 4v5h5M9 20v-5H4M15 20v-5h5",
  fullScreen: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  layers: "M12 4l8 4-8 4-8-4zM4 12l8 4 8-4M4 16l8 4 8-4",
  left: "M15 5l-7 7 7 7",
  memory: "M5 5h14v14H5zM9 9h6v6H9zM9 2v3M15 2v3M9 19v3M15 19v3M2 9h3M2 15h3M19 9h3M19 15h3",
  menu: "M4 7h16M4 12h16M4 17h16",
  probabilities: "M5 20v-6M12 20V4M19 20v-10",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  pin: "M9 4h6l-1 6 4 4H6l4-4zM12 14v6",
  microphone: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M6 11a6 6 0 0 0 12 0M12 17v4",
  play: "M8 5v14l11-7z",
  prompts: "M5 4h14v16H5zM9 9l3 3-3 3M13 15h3",
  pulse: "M3 12h4l3-8 4 16 3-8h4",
  retry: "M20 11a8 8 0 1 0-2.5 6.5M20 5v6h-6",
  right: "M9 5l7 7-7 7",
  send: "M12 20V5M6 11l6-6 6 6",
  settings: "M4 8h10M18 8h2M4 16h2M10 16h10M14 5v6M8 13v6",
  stop: "M7 7h10v10H7z",
  upload: "M12 15V4M7 9l5-5 5 5M5 20h14",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  tasks: "M4 6l2 2 3-4M4 16l2 2 3-4M13 6h7M13 17h7",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative icon next to a text or in a labelled button; hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

interface IconButtonProps {
  readonly id?: string;
  readonly icon: IconName;
  /** Accessible name of the action. */
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly expanded?: boolean;
}

/** A button that shows only an icon. */
export function IconButton({ id, icon, label, onClick, disabled, expanded }: IconButtonProps) {
  return (
    <button
      {...(id !== undefined && { id })}
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
