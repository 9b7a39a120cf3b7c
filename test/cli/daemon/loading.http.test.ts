import { expect, test } from "vitest";
import { DaemonClient } from "../../../src/cli/daemon/daemon-client.js";
import { connectToDaemon, findDaemon } from "../../../src/cli/daemon/find-daemon.js";
import { showLoading } from "../../../src/cli/daemon/loading-display.js";
import { eventually } from "../../support/eventually.js";
import { jsonAnswer, startStandIn } from "./stand-in.js";

function recordingTerminal(isTTY = true) {
  const terminal = {
    isTTY,
    text: "",
    write: (text: string) => {
      terminal.text += text;
    },
  };
  return terminal;
}

const nextTurn = async () => new Promise<void>(setImmediate);

test("the client waits for a daemon that is starting, and shows its progress", async () => {
  const states = [
    { status: "loading model", progress: 0 },
    { status: "loading model", progress: 0.5 },
    { status: "ok" },
  ];
  const { url } = await startStandIn(() =>
    jsonAnswer(states.shift(), states.length > 0 ? 503 : 200),
  );
  const terminal = recordingTerminal();
  const daemon = await connectToDaemon({ selection: "named", url }, { terminal, wait: nextTurn });
  expect(daemon.url).toBe(url);
  expect(terminal.text).toMatch(/^\rloading at .* 0 %\rloading at .* 50 %\r.\[K$/);
});

test("a configured daemon is optional, while one given by --url is required", async () => {
  const terminal = recordingTerminal();
  const { url } = await startStandIn(() => ({ status: 404, text: "<html>" }));
  for (const nobody of [url, "http://127.0.0.1:1"]) {
    const configured = { selection: "configured", url: nobody } as const;
    expect(await findDaemon(configured, { terminal })).toBeUndefined();
    await expect(findDaemon({ selection: "named", url: nobody }, { terminal })).rejects.toThrow(
      nobody,
    );
  }
});

test("loading progress is shown until the model is ready", async () => {
  const states = [
    { value: "unloaded" },
    { value: "loading", progress: 0.25 },
    { value: "loading", progress: 0.5 },
  ];
  const { url } = await startStandIn(() => {
    const status = states.length > 1 ? states.shift() : states[0];
    return jsonAnswer({ data: [{ id: "other" }, { id: "m", status }] });
  });
  const terminal = recordingTerminal();
  const stop = showLoading(new DaemonClient({ url }), { terminal, wait: nextTurn });
  await eventually(() => expect(terminal.text).toMatch(/\rloading m .* 25 %\rloading m .* 50 %$/));
  stop();
  const { text } = terminal;
  expect(text).toMatch(/\r.\[K$/);
  await nextTurn();
  expect(terminal.text).toBe(text);
});

test("without a terminal, no progress is requested", async () => {
  const { url, asked } = await startStandIn(() => jsonAnswer({ data: [] }));
  const options = { terminal: recordingTerminal(false), wait: nextTurn };
  showLoading(new DaemonClient({ url }), options)();
  await nextTurn();
  expect(asked).toEqual([]);
});
