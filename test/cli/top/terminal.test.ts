import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { onQuitKey, openScreen } from "../../../src/cli/top/run-top.js";

function recordedOutput(size: { columns: number; rows: number }) {
  let written = "";
  const output = {
    ...size,
    write: (text: string) => {
      written += text;
    },
  };
  /** Output since the last call. */
  const take = () => {
    const taken = written;
    written = "";
    return taken;
  };
  return { output, take };
}

it("draws on the alternate screen, and restores the main screen", () => {
  const { output, take } = recordedOutput({ columns: 80, rows: 24 });
  const screen = openScreen(output);
  expect(take()).toBe("\u001b[?1049h\u001b[?25l");
  screen.show(["one", "two"]);
  expect(take()).toBe("\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J");
  screen.close();
  expect(take()).toBe("\u001b[?25h\u001b[?1049l");
});

it("draws at most as many lines as the terminal has rows, also after it is resized", () => {
  const { output, take } = recordedOutput({ columns: 80, rows: 1 });
  const screen = openScreen(output);
  take();
  screen.show(["one", "two"]);
  expect(take()).not.toContain("two");
  output.columns = 40;
  expect(screen.columns).toBe(40);
});

class Keyboard extends EventEmitter {
  readonly isTTY: boolean;
  readonly calls: string[] = [];

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  setRawMode(isRaw: boolean): void {
    this.calls.push(isRaw ? "raw" : "cooked");
  }

  pause(): void {
    this.calls.push("paused");
  }
}

it.each(["q", "Q", "\u0003", "xq"])("quits on %j, and restores the keyboard mode", (keys) => {
  const keyboard = new Keyboard(true);
  let quits = 0;
  const release = onQuitKey(keyboard, () => quits++);
  keyboard.emit("data", Buffer.from("x"));
  expect(quits).toBe(0);
  keyboard.emit("data", Buffer.from(keys));
  expect(quits).toBe(1);
  release();
  expect(keyboard.calls).toEqual(["raw", "cooked", "paused"]);
});

it("does not read input that is not a terminal", () => {
  const pipe = new Keyboard(false);
  onQuitKey(pipe, () => expect.unreachable())();
  expect(pipe.calls).toEqual([]);
  expect(pipe.listenerCount("data")).toBe(0);
});
