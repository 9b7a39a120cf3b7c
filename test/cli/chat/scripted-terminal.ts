import { PassThrough, Writable } from "node:stream";

/** Terminal or pipe that records its output. */
class RecordingOutput extends Writable {
  readonly isTTY: boolean;
  readonly columns = 80;
  text = "";

  constructor(isTTY: boolean) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(chunk: unknown, _encoding: unknown, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

/** A terminal where a test types. */
export function scriptedTerminal({ isTTY }: { readonly isTTY: boolean }) {
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  return { stdin, stdout: new RecordingOutput(isTTY), stderr: new RecordingOutput(isTTY) };
}

/** Visible text of a terminal's output, without control sequences. */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replaceAll(/\u001b\[[\d;?]*[A-Za-z]|\r/g, "");
}
