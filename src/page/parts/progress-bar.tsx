interface ProgressBarProps {
  /** What is in progress. */
  readonly label: string;
  /** 0–1; absent: how far it is is not known. */
  readonly value?: number | undefined;
}

/** How far something is. */
export function ProgressBar({ label, value }: ProgressBarProps) {
  return <progress aria-label={label} {...(value !== undefined && { value, max: 1 })} />;
}
