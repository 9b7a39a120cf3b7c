import type { Transcription, VerboseTranscription } from "./answer.js";
import type { TranscriptEvent } from "./stream.js";
import type { AudioTask } from "./translate.js";

const TEXT = "Good morning.";

export const exampleTranscription: Transcription = {
  text: TEXT,
  usage: {
    type: "tokens",
    input_tokens: 60,
    output_tokens: 4,
    total_tokens: 64,
    input_tokens_details: { cached_tokens: 0 },
  },
};

export const exampleVerbose = (task: AudioTask): VerboseTranscription => ({
  task,
  language: task === "translate" ? "english" : "en",
  duration: 1.5,
  text: TEXT,
  segments: [],
});

export const exampleEvent: TranscriptEvent = { type: "transcript.text.delta", delta: "Good" };
