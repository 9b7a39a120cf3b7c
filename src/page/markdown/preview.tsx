import { useEffect, useRef, useState } from "preact/hooks";
import { Notice } from "../parts/notice.js";
import { readMermaid } from "./read-mermaid.js";

const KINDS = { mermaid: "mermaid", html: "html", htm: "html", svg: "svg" } as const;

type PreviewKind = (typeof KINDS)[keyof typeof KINDS];

/** @returns `undefined` if code in a language has no preview */
export function previewKindOf(language: string): PreviewKind | undefined {
  const name = language.toLowerCase();
  return Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : undefined;
}

/** Document with a policy that forbids all requests: see `src/api/page/page-headers.ts`. */
const DOCUMENT = "./page/preview.html";
const MIN_HEIGHT = 120;
const MAX_HEIGHT = 560;
/** Code that is being generated is shown when it has not grown for this time. */
const SETTLING_MS = 600;

interface PreviewProps {
  readonly kind: PreviewKind;
  readonly source: string;
}

/** Shows a diagram or HTML in a frame without access to the page, its storage and the network. */
export function Preview({ kind, source }: PreviewProps) {
  const settled = useSettled(source);
  return <Frame key={settled} kind={kind} source={settled} />;
}

function Frame({ kind, source }: PreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(MIN_HEIGHT);
  const [errorMessage, setErrorMessage] = useState<string>();
  useEffect(() => {
    let isSent = false;
    const send = async () => {
      if (isSent) return;
      isSent = true;
      try {
        const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
        const library = kind === "mermaid" ? await readMermaid() : "";
        // The frame's origin is opaque, so no other target can be named.
        frame.current?.contentWindow?.postMessage({ kind, source, library, isDark }, "*");
      } catch {
        setErrorMessage("The diagram renderer could not be loaded. Try again.");
      }
    };
    const receive = (event: MessageEvent) => {
      // The frame's content can send any message.
      if (event.source === null || event.source !== frame.current?.contentWindow) return;
      const report = readReport(event.data);
      if (report.isReady) void send();
      if (report.height !== undefined) setHeight(report.height);
      if (report.error !== undefined) setErrorMessage(report.error);
    };
    addEventListener("message", receive);
    return () => removeEventListener("message", receive);
  }, []);
  return (
    <>
      {errorMessage !== undefined && <Notice message={errorMessage} />}
      <iframe
        ref={frame}
        class={`preview ${kind}`}
        title={kind === "mermaid" ? "Preview of the diagram" : "Preview of the code"}
        sandbox="allow-scripts"
        src={DOCUMENT}
        hidden={errorMessage !== undefined}
        style={{ height: `${height}px` }}
      />
    </>
  );
}

interface FrameReport {
  readonly isReady: boolean;
  /** Within the limits of a preview. */
  readonly height: number | undefined;
  readonly error: string | undefined;
}

/** Reads an untrusted message of a frame. */
function readReport(data: unknown): FrameReport {
  const { ready, height, error } = Object(data) as Readonly<Record<string, unknown>>;
  return {
    isReady: ready === true,
    height:
      typeof height === "number" && height >= 0
        ? Math.min(Math.max(Math.ceil(height), MIN_HEIGHT), MAX_HEIGHT)
        : undefined,
    error:
      typeof error === "string" ? `The diagram has an error: ${error.slice(0, 500)}` : undefined,
  };
}

/** Returns a text when it has stayed the same for some time; initially at once. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
