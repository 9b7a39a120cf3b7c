import { Fragment } from "preact";
import type { NativeSlots } from "../../api/llama-server/slots.js";
import type { ReplicaMetrics } from "../../live-metrics/live-metrics.js";
import { type SlotSpan, TIMELINE_MS, toBarParts } from "./slot-spans.js";
import { describeSlots } from "./slot-text.js";

interface SlotTimelineProps {
  /** Number of slots; `undefined`: unknown. */
  readonly total: number | undefined;
  /** Number of busy slots. */
  readonly running: number | undefined;
  /** State of each slot, where known. */
  readonly slots: NativeSlots | undefined;
  /** Engines of the model; empty: it has one. */
  readonly replicas: readonly ReplicaMetrics[];
  /** Requests of the last minute. */
  readonly spans: readonly SlotSpan[];
  /** Time at the right edge. */
  readonly nowMs: number;
}

/** Units of the drawing, which is stretched to the available space. */
const WIDTH = 600;
const HEIGHT = 10;
/** Width of the shortest bar. */
const LEAST_WIDTH = 1.5;
/** Number of intervals of the time axis. */
const TICKS = 4;

/** Requests of the last minute as bars on slots, and the state of each slot in words. */
export function SlotTimeline(props: SlotTimelineProps) {
  const { total, running, slots, replicas, spans, nowMs } = props;
  const rows = describeSlots(total, running, slots, replicas);
  if (rows.length === 0) return null;
  return (
    <div class="slot-timeline">
      <ul class="slot-rows" aria-label="Slots">
        {rows.map(({ isBusy, text, replica }, index) => (
          <Fragment key={index}>
            {replica !== undefined && replica !== rows[index - 1]?.replica && (
              <li class="slot-group">Replica {replica}</li>
            )}
            <li class={isBusy ? "busy" : "idle"}>
              <span class="slot-name">Slot {index}</span>
              <svg
                class="slot-bars"
                viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                {spans.filter(({ slot }) => slot === index).map((span) => bars(span, nowMs))}
              </svg>
              <span class="slot-text">{text}</span>
            </li>
          </Fragment>
        ))}
        <li class="time-axis" aria-hidden="true">
          <span>
            {Array.from({ length: TICKS + 1 }, (_, tick) => (
              <span key={tick}>{labelTick(tick)}</span>
            ))}
          </span>
        </li>
      </ul>
      <p class="legend">
        <span class="prompt">Prompt</span> <span class="generation">Generation</span>
      </p>
    </div>
  );
}

function bars(span: SlotSpan, nowMs: number) {
  return toBarParts(span, nowMs).map(({ phase, start, length }) => (
    <rect
      key={`${span.task} ${phase}`}
      class={`${phase} ${span.isRunning ? "running" : "ended"}`}
      x={round(start * WIDTH)}
      width={Math.max(LEAST_WIDTH, round(length * WIDTH))}
      height={HEIGHT}
    />
  ));
}

function labelTick(tick: number): string {
  const seconds = (TIMELINE_MS / 1000) * (1 - tick / TICKS);
  if (seconds === 0) return "now";
  return tick === 0 ? `${seconds} s ago` : `${seconds} s`;
}

function round(coordinate: number): number {
  return Math.round(coordinate * 10) / 10;
}
