interface ProgressBarProps {
  /** Name of the operation. */
  readonly label: string;
  /** 0–1; absent: unknown. */
  readonly value?: number | undefined;
}

/** Progress bar; indeterminate without a value. */
export function ProgressBar({ label, value }: ProgressBarProps) {
  return <progress aria-label={label} {...(value !== undefined && { value, max: 1 })} />;
}
