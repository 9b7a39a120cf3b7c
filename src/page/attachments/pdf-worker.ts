// Types of the addresses of files.
/// <reference types="vite/client" />
import workerUrl from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";
import jbig2Url from "pdfjs-dist/wasm/jbig2.wasm?url";
import openjpegUrl from "pdfjs-dist/wasm/openjpeg.wasm?url";
import qcmsUrl from "pdfjs-dist/wasm/qcms_bg.wasm?url";

/** Decoders of images in scans, as WebAssembly. */
const decoders: Readonly<Record<string, string>> = {
  "jbig2.wasm": jbig2Url,
  "openjpeg.wasm": openjpegUrl,
  "qcms_bg.wasm": qcmsUrl,
};

/** Character maps of Chinese, Japanese and Korean fonts that are not embedded. */
const characterMaps = import.meta.glob<string>(
  "../../../node_modules/pdfjs-dist/cmaps/{Adobe-*-UCS2,Uni*-{UCS2,UTF16}-[HV],GBK*,GB-EUC-*,90ms*,EUC-*,ETen*,KSC-EUC-*,KSCms*,H,V}.bcmap",
  { query: "?url", import: "default", eager: true },
);

/** Trusted Types, which browsers without them lack. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/**
 * The page's content security policy permits scripts from no text. This policy permits one script,
 * that of the PDF reader.
 */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  "pdf-worker",
  {
    createScriptURL(url) {
      if (url !== workerUrl) throw new TypeError("expected the script of the PDF reader");
      return url;
    },
  },
);

/** Starts the thread that parses a PDF. */
export function startPdfWorker(): Worker {
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: "module" });
}

interface DataFile {
  readonly kind: string;
  readonly filename: string;
}

/** Loads the data files of pdf.js for its worker, which has no access to the network. */
export class PdfDataFiles {
  async fetch({ kind, filename }: DataFile): Promise<Uint8Array> {
    const url = kind === "cMapUrl" ? findCharacterMap(filename) : decoders[filename];
    if (url === undefined) throw new Error(`expected a file of pdf.js, got ${filename}`);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${filename} could not be loaded: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

function findCharacterMap(filename: string): string | undefined {
  return Object.entries(characterMaps).find(([path]) => path.endsWith(`/${filename}`))?.[1];
}
