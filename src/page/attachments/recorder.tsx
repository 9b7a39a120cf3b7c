import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { IconButton } from "../parts/icon.js";
import { MAX_RECORDING_SECONDS, type Recording, startRecording } from "./recording.js";
import { formatSeconds } from "./seconds.js";

interface RecorderProps {
  /** Called at the end of the recording. @param file absent: it was discarded */
  readonly onEnd: (file?: File) => void;
  readonly onFailure: (message: string) => void;
}

const TICK_MS = 250;
const MS_PER_SECOND = 1000;

/** Records from the microphone until the user stops, at most {@link MAX_RECORDING_SECONDS}. */
export function Recorder({ onEnd, onFailure }: RecorderProps) {
  const [seconds, setSeconds] = useState<number>();
  const recording = useRef<Recording>(undefined);
  const group = useRef<HTMLFieldSetElement>(null);
  const finish = async () => {
    const current = recording.current;
    recording.current = undefined;
    if (current !== undefined) onEnd(await current.stop());
  };
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setInterval> | undefined;
    const begin = async () => {
      const started = await startRecording();
      if (isOver) return started.discard();
      recording.current = started;
      const start = Date.now();
      announce(`Recording, at most ${formatSeconds(MAX_RECORDING_SECONDS)}`);
      setSeconds(0);
      timer = setInterval(() => {
        const elapsed = (Date.now() - start) / MS_PER_SECOND;
        setSeconds(elapsed);
        if (elapsed >= MAX_RECORDING_SECONDS) void finish();
      }, TICK_MS);
    };
    begin().catch((error: unknown) => onFailure(messageOf(error)));
    return () => {
      isOver = true;
      clearInterval(timer);
      recording.current?.discard();
    };
  }, []);
  const isRunning = seconds !== undefined;
  useEffect(() => group.current?.querySelector("button")?.focus(), [isRunning]);
  return (
    <fieldset class="recorder" ref={group} aria-label="Recording">
      {isRunning ? (
        <>
          <IconButton icon="stop" label="Stop recording" onClick={() => void finish()} />
          <span class="recording-time">
            {formatSeconds(seconds)} of {formatSeconds(MAX_RECORDING_SECONDS)}
          </span>
        </>
      ) : (
        <span class="hint">Waiting for the microphone…</span>
      )}
      <IconButton icon="close" label="Discard recording" onClick={() => onEnd()} />
    </fieldset>
  );
}
