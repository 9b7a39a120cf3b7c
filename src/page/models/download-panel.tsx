import { HubSearch } from "./hub-search.js";
import { PullForm } from "./pull-form.js";

interface DownloadPanelProps {
  /** Text to search for at once. @default none */
  readonly initialText?: string | undefined;
}

/** Download of a model: by a search of the hub, or by its exact name. */
export function DownloadPanel({ initialText }: DownloadPanelProps) {
  return (
    <div class="download-panel">
      <HubSearch initialText={initialText} />
      <PullForm />
    </div>
  );
}
