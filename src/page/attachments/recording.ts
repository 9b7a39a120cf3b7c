import { AttachmentError } from "./attachment.js";

/** Longest recording: well below the server's default limits of a file's size and duration. */
export const MAX_RECORDING_SECONDS = 300;

/** A recording in progress. */
export interface Recording {
  /** Ends it. @returns the file, in the format of the browser */
  readonly stop: () => Promise<File>;
  /** Ends it without a file. */
  readonly discard: () => void;
}

/** Starts recording from the microphone. @throws {AttachmentError} if the browser does not permit it */
export async function startRecording(): Promise<Recording> {
  // Absent on pages that are not loaded over HTTPS or from localhost.
  if (navigator.mediaDevices === undefined) {
    throw new AttachmentError(
      "Browsers permit recording only on pages loaded over HTTPS or from localhost. Set up TLS, or attach an audio file.",
    );
  }
  if (typeof MediaRecorder === "undefined") {
    throw new AttachmentError("This browser cannot record. Attach an audio file instead.");
  }
  const stream = await navigator.mediaDevices
    .getUserMedia({ audio: { channelCount: 1 } })
    .catch((error: unknown) => {
      throw new AttachmentError(explain(error));
    });
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  const recorder = new MediaRecorder(stream);
  const chunks: Blob[] = [];
  recorder.ondataavailable = ({ data }) => chunks.push(data);
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve();
  });
  recorder.start();
  return {
    async stop() {
      if (recorder.state !== "inactive") recorder.stop();
      await stopped;
      release();
      return new File(chunks, recordingName(new Date()), { type: recorder.mimeType });
    },
    discard() {
      if (recorder.state !== "inactive") recorder.stop();
      release();
    },
  };
}

/** `Recording 14.05.wav`: recordings are converted to WAV. */
function recordingName(date: Date): string {
  const [hour, minute] = [date.getHours(), date.getMinutes()].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `Recording ${hour}.${minute}.wav`;
}

const REASONS: Readonly<Record<string, string>> = {
  NotAllowedError:
    "The browser blocked the microphone. Permit it in the browser’s settings of this site, and record again.",
  NotFoundError: "No microphone was found. Connect one, or attach an audio file.",
  NotReadableError:
    "The microphone cannot be used: another program may be using it. Close that program, and record again.",
};

function explain(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  return REASONS[name] ?? `The microphone cannot be used: ${String(error)}.`;
}
