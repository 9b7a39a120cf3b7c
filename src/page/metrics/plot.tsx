import type { ComponentChildren } from "preact";

interface PlotProps {
  /** Name of the values, with their unit. */
  readonly title: string;
  /** Value next to the title. */
  readonly value: string;
  /** The drawing in words, after the title. */
  readonly description: string;
  /** Value of the upper edge; the lower one is 0. */
  readonly top: number;
  readonly print: (value: number) => string;
  /** Labels of the time axis, from its start to its end. */
  readonly times: readonly (string | undefined)[];
  /** Class of the figure, in addition to `chart`. */
  readonly kind?: string;
  /** Text below the drawing. */
  readonly legend?: ComponentChildren;
  /** SVG elements of the values, within {@link PLOT_WIDTH} and {@link PLOT_HEIGHT}. */
  readonly children: ComponentChildren;
}

/** Units of the drawing, which is stretched to the available space. */
export const PLOT_WIDTH = 240;
export const PLOT_HEIGHT = 80;

/** Positions of the grid's lines, as shares of the drawing. */
const ROWS = [0, 0.5, 1];

/** Values over time, with a scale and a time axis. */
export function Plot({ title, value, description, top, print, times, ...parts }: PlotProps) {
  return (
    <figure class={`chart ${parts.kind ?? ""}`}>
      <figcaption>
        <span>{title}</span> <strong>{value}</strong>
      </figcaption>
      <div class="plot">
        <div class="y-axis" aria-hidden="true">
          {ROWS.map((share) => (
            <span key={share}>{print(top * (1 - share))}</span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={`${title}: ${description}`}
          viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`}
          preserveAspectRatio="none"
        >
          {ROWS.map((share) => (
            <path key={share} class="grid" d={`M0 ${PLOT_HEIGHT * share}H${PLOT_WIDTH}`} />
          ))}
          {parts.children}
        </svg>
        <div class="x-axis" aria-hidden="true">
          {times.map((time) => (
            <span key={time}>{time}</span>
          ))}
        </div>
      </div>
      {parts.legend}
    </figure>
  );
}
