import { expect, onTestFinished, test } from "vitest";
import { type DownloadOffer, expectStoredModel } from "../../../src/cli/chat/offer-download.js";
import { eventually } from "../../support/eventually.js";
import { ggufOf } from "../../support/model-sources/file-answers.js";
import { HubStandIn } from "../../support/model-sources/hub.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { scriptedTerminal } from "./scripted-terminal.js";

/** A user without models, and a hub with one model. */
async function offering(isTTY: boolean, options: Partial<DownloadOffer> = {}, offline = false) {
  const hub = await HubStandIn.start({ files: { "m-Q4_0.gguf": ggufOf(1000) } });
  const home = await temporaryFolder();
  const terminal = scriptedTerminal({ isTTY });
  onTestFinished(() => void terminal.stdin.destroy());
  const offer: DownloadOffer = {
    config: { modelsDir: `${home}/models`, offline },
    downloadConsent: "after-asking",
    environment: { ...hub.environment, HOME: home, XDG_CACHE_HOME: home, OLLAMA_MODELS: home },
    terminal,
    signal: new AbortController().signal,
    ...options,
  };
  return { offer, ...terminal };
}

const QUESTION = "hf:user/repo is not on this machine. Download hf:user/repo? [Y/n] ";

test.each(["\r", "y\r", "YES\r"])(
  "a missing model is downloaded after the answer %j",
  async (keys) => {
    const { offer, stdin, stdout, stderr } = await offering(true);
    const stored = expectStoredModel("hf:user/repo", offer);
    await eventually(() => expect(stderr.text).toContain(QUESTION));
    stdin.write(keys);
    expect(await stored).toBe("hf:user/repo");
    expect(stderr.text).toContain("user/repo:Q4_0: ");
    expect(stdout.text).toBe("");
    expect(await expectStoredModel("user/repo", offer)).toBe("user/repo");
  },
);

test.each(["n\r", "what?\r", "\u0003", "\u0004"])(
  "the answer %j declines the download",
  async (keys) => {
    const { offer, stdin, stderr } = await offering(true);
    const stored = expectStoredModel("hf:user/repo", offer);
    const refused = expect(stored).rejects.toThrow("; to download it: ggufd pull hf:user/repo");
    await eventually(() => expect(stderr.text).toContain(QUESTION));
    stdin.write(keys);
    await refused;
  },
);

test("without a terminal, or offline, the error names the command that downloads the model", async () => {
  const message =
    '"llama3.2": expected the name of a model on this machine, which has 0; to download it: ggufd pull ollama:llama3.2, or --yes';
  const piped = await offering(false);
  await expect(expectStoredModel("llama3.2", piped.offer)).rejects.toThrow(message);
  expect(piped.stderr.text).toBe("");
  const offline = await offering(true, { downloadConsent: "without-asking" }, true);
  await expect(expectStoredModel("llama3.2", offline.offer)).rejects.toThrow(message);
});

test("with --yes, a missing model is downloaded without a prompt", async () => {
  const { offer, stderr } = await offering(false, { downloadConsent: "without-asking" });
  expect(await expectStoredModel("hf:user/repo", offer)).toBe("hf:user/repo");
  expect(stderr.text).not.toContain("[Y/n]");
});

test("no download is offered for a name without a source", async () => {
  const { offer } = await offering(true);
  await expect(expectStoredModel("?!", offer)).rejects.toThrow(/which has 0$/);
});
