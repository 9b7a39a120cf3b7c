import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
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

/** A pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const file = { name: "pixel.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };

/** An ICO file that contains the pixel. */
const ICON = (() => {
  const pixel = Buffer.from(PNG, "base64");
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(1, 6);
  head.writeUInt8(1, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(pixel.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, pixel]).toString("base64");
})();

const seeing = { media: ["image"] } as const;
const mediaLimits = { files: 4, fileBytes: 100_000, totalBytes: 400_000 };

/** Drops a file on the page, or pastes it. @param type of the file */
async function give(page: Page, event: "drop" | "paste", type = "image/png", content = PNG) {
  await page.getByLabel("Your message").evaluate(
    (field, { event, type, content }) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], "given", { type }));
      const options = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        event === "drop"
          ? new DragEvent("drop", { ...options, dataTransfer: data })
          : new ClipboardEvent("paste", { ...options, clipboardData: data }),
      );
    },
    { event, type, content },
  );
}

describe.skipIf(!hasBrowser)("images on the page", () => {
  useBrowser();

  it("can be attached to a question by file picker, drag and drop, or paste", async () => {
    const { url, engine } = await scriptedServer(undefined, { mediaLimits }, seeing);
    const opened = await openPage(url);
    const { page } = opened;
    await untilAccepted(page, "image");
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Remove pixel.png" }).waitFor();
    await give(page, "drop");
    await give(page, "paste");
    await page.getByRole("button", { name: "Remove given" }).nth(1).waitFor();
    await page.getByRole("button", { name: "Remove given" }).nth(1).click();
    await ask(page, "What is this?");
    await endedAnswers(page);
    expect(await page.locator(".question img").count()).toBe(2);
    const content = engine.requests.at(-1)?.prompt.messages.at(-1)?.content ?? [];
    const media = [content]
      .flat()
      .filter(
        (part) => typeof part === "object" && "bytes" in Object(Object(part).content ?? part),
      );
    expect(media).toHaveLength(2);
    await page.reload();
    await page.locator(".question img").nth(1).waitFor();
    expectQuiet(opened);
  });

  it("in WebP are sent unmodified", async () => {
    const { url } = await scriptedServer(undefined, { mediaLimits }, seeing);
    const { page } = await openPage(url);
    await untilAccepted(page, "image");
    const webp = await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(2, 2);
      canvas.getContext("2d")?.fillRect(0, 0, 2, 2);
      const bytes = new Uint8Array(
        await (await canvas.convertToBlob({ type: "image/webp" })).arrayBuffer(),
      );
      return btoa(String.fromCharCode(...bytes));
    });
    await give(page, "drop", "image/webp", webp);
    await page.locator(".attachments img").waitFor();
    expect(await page.locator(".attachments img").getAttribute("src")).toBe(
      `data:image/webp;base64,${webp}`,
    );
  });

  it("of an unsupported type are converted to a supported one", async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="9" height="9"/></svg>',
    );
    const { url } = await scriptedServer(undefined, { mediaLimits }, seeing);
    const { page } = await openPage(url);
    await untilAccepted(page, "image");
    await give(page, "drop", "image/x-icon", ICON);
    await page.locator(".attachments img").waitFor();
    expect(await page.locator(".attachments img").getAttribute("src")).toMatch(/^data:image\/jpeg/);
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "a.svg", mimeType: "image/svg+xml", buffer: svg });
    await page
      .getByRole("alert")
      .or(page.getByRole("button", { name: "Remove a.svg" }))
      .first()
      .waitFor();
  });

  it("are rejected if they cannot be decoded", async () => {
    const { url } = await scriptedServer(undefined, { mediaLimits }, seeing);
    const { page } = await openPage(url);
    await untilAccepted(page, "image");
    await give(page, "drop", "image/png", btoa("no image"));
    await page.getByRole("alert").getByText("given cannot be read as an image").waitFor();
    expect(await page.locator(".attachments").count()).toBe(0);
  });

  it("can be attached only if the model supports them", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await page.getByRole("button", { name: "Model: scripted, loaded" }).waitFor();
    await give(page, "paste");
    await page.getByRole("alert").getByText("this model does not accept images").waitFor();
  });

  it("stay with a question when its text is edited", async () => {
    const { url, engine } = await scriptedServer(undefined, { mediaLimits }, seeing);
    const { page } = await openPage(url);
    await untilAccepted(page, "image");
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Remove pixel.png" }).waitFor();
    await ask(page, "What is this?");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Edit message" }).click();
    await page.getByLabel("Edited message", { exact: true }).fill("Which colour?");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.locator(".question", { hasText: "Which colour?" }).waitFor();
    await endedAnswers(page);
    expect(await page.locator(".question img").count()).toBe(1);
    expect(JSON.stringify(engine.requests.at(-1)?.prompt.messages)).toContain("Which colour?");
  });
});
