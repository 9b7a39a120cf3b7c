import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../src/page/attachments/wav.js";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  untilAccepted,
  useBrowser,
} from "../../support/page-in-browser.js";

const hearing = { media: ["audio"] } as const;
const mediaLimits = { files: 4, fileBytes: 1_000_000, totalBytes: 4_000_000 };
const wav = Buffer.from(encodeWav([new Float32Array(1600)]));

const serve = () => scriptedServer(undefined, { mediaLimits }, hearing);

/** A microphone that plays a tone, or fails. @param failure name of the error */
async function installMicrophone(failure: string | undefined): Promise<void> {
  Object.defineProperty(navigator, "mediaDevices", {
    value:
      failure === "absent"
        ? undefined
        : {
            async getUserMedia() {
              if (failure !== undefined) throw new DOMException("no", failure);
              const context = new AudioContext();
              const tone = context.createOscillator();
              const destination = context.createMediaStreamDestination();
              tone.connect(destination);
              tone.start();
              return destination.stream;
            },
          },
  });
}

describe.skipIf(!hasBrowser)("audio on the page", () => {
  useBrowser();

  it("is attached as a file, can be played, and is sent as it is", async () => {
    const { url, engine } = await serve();
    const opened = await openPage(url);
    const { page } = opened;
    await untilAccepted(page, "audio");
    await page
      .locator(".composer input[type=file]")
      .setInputFiles({ name: "a.wav", mimeType: "audio/wav", buffer: wav });
    await page.getByRole("button", { name: "Play a.wav" }).click();
    await page.getByRole("button", { name: "Play a.wav" }).waitFor();
    await ask(page, "What is it?");
    await endedAnswers(page);
    const [part] = [engine.requests.at(-1)?.prompt.messages[0]?.content].flat();
    expect(part).toMatchObject({ type: "media", kind: "audio" });
    const { bytes } = Object(Object(part).content);
    expect(Buffer.from(bytes).equals(wav)).toBe(true);
    await page.reload();
    await page.getByRole("button", { name: "Play audio 1" }).waitFor();
    expectQuiet(opened);
  });

  it("is recorded and converted to WAV with 16 bits and 16 kHz", async () => {
    const { url, engine } = await serve();
    const opened = await openPage(url);
    const { page } = opened;
    await untilAccepted(page, "audio");
    await page.evaluate(installMicrophone, undefined);
    await page.getByRole("button", { name: "Record audio" }).click();
    await page.getByText("0:01 of 5:00").waitFor();
    await page.getByRole("button", { name: "Stop recording" }).click();
    await page.getByRole("button", { name: /^Remove Recording/ }).waitFor();
    await ask(page, "");
    await endedAnswers(page);
    const [part] = [engine.requests.at(-1)?.prompt.messages[0]?.content].flat();
    const bytes = Buffer.from(Object(Object(part).content).bytes);
    expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
    expect(bytes.readUInt32LE(24)).toBe(16_000);
    expect(bytes.readUInt16LE(34)).toBe(16);
    // At least half a second.
    expect(bytes.length).toBeGreaterThan(16_000);
    expectQuiet(opened);
  });

  it("is discarded without a trace", async () => {
    const { url } = await serve();
    const { page } = await openPage(url);
    await untilAccepted(page, "audio");
    await page.evaluate(installMicrophone, undefined);
    await page.getByRole("button", { name: "Record audio" }).click();
    await page.getByText("of 5:00").waitFor();
    await page.getByRole("button", { name: "Discard recording" }).click();
    await page.getByRole("button", { name: "Record audio" }).waitFor();
    expect(await page.locator(".attachments").count()).toBe(0);
  });

  it.each([
    ["NotAllowedError", "The browser blocked the microphone."],
    ["NotFoundError", "No microphone was found."],
    ["NotReadableError", "another program may be using it"],
    ["absent", "only on pages loaded over HTTPS or from localhost"],
  ])("cannot be recorded, which is explained: %s", async (failure, message) => {
    const { url } = await serve();
    const { page } = await openPage(url);
    await untilAccepted(page, "audio");
    await page.evaluate(installMicrophone, failure);
    await page.getByRole("button", { name: "Record audio" }).click();
    await page.getByRole("alert").getByText(message).waitFor();
    await page.getByRole("button", { name: "Record audio" }).waitFor();
  });

  it("is refused if the model does not accept audio, or the file is damaged", async () => {
    const deaf = await scriptedServer();
    const { page } = await openPage(deaf.url);
    const file = { name: "a.wav", mimeType: "audio/wav", buffer: wav };
    await page.locator(".composer input[type=file]").setInputFiles(file);
    await page.getByRole("alert").getByText("this model does not accept audio").waitFor();
    expect(await page.getByRole("button", { name: "Record audio" }).count()).toBe(0);
    const other = await openPage((await serve()).url);
    await untilAccepted(other.page, "audio");
    await other.page
      .locator(".composer input[type=file]")
      .setInputFiles({ name: "b.ogg", mimeType: "audio/ogg", buffer: Buffer.from("OggS\0\0") });
    await other.page.getByRole("alert").getByText("b.ogg cannot be read as audio").waitFor();
  });
});
