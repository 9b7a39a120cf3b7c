import { useRef, useState } from "preact/hooks";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { IconButton } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import type { Attachments } from "./use-attachments.js";

/** Extensions of text files, for which browsers know no media type. */
const TEXT_EXTENSIONS =
  ".md,.csv,.tsv,.json,.jsonl,.yaml,.yml,.toml,.ini,.log,.sql,.xml,.html,.css,.js,.jsx,.ts,.tsx,.py,.rb,.php,.go,.rs,.java,.kt,.swift,.c,.h,.cc,.cpp,.hpp,.cs,.sh,.tex,.diff,.patch";

const Recorder = lazy(async () => (await import("./recorder.js")).Recorder);

/** Buttons that attach files, and recordings where the model accepts audio. */
export function AttachmentControls({ attachments }: { readonly attachments: Attachments }) {
  const fileInput = useRef<HTMLInputElement>(null);
  const [isRecording, setRecording] = useState(false);
  const { accepts } = attachments;
  const types = [
    "text/*,application/pdf",
    TEXT_EXTENSIONS,
    accepts.has("image") && "image/*",
    accepts.has("audio") && "audio/*",
  ];
  return (
    <>
      <IconButton icon="attach" label="Attach files" onClick={() => fileInput.current?.click()} />
      <input
        ref={fileInput}
        type="file"
        accept={types.filter((type) => type !== false).join(",")}
        multiple
        hidden
        aria-label="Files"
        onChange={({ currentTarget }) => {
          void attachments.attach([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      {accepts.has("audio") &&
        (isRecording ? (
          <ErrorBoundary name="The recorder">
            <Recorder
              onEnd={(file) => {
                setRecording(false);
                if (file !== undefined) void attachments.attach([file]);
              }}
              onFailure={(message) => {
                setRecording(false);
                attachments.report(message);
              }}
            />
          </ErrorBoundary>
        ) : (
          <IconButton icon="microphone" label="Record audio" onClick={() => setRecording(true)} />
        ))}
    </>
  );
}
