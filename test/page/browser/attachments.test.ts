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
  violationsOf,
} from "../../support/page-in-browser.js";
import { buildPdf } from "../../support/some-pdf.js";

interface GivenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const text = (name: string, content: string | Buffer, mimeType = "text/plain"): GivenFile => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});
const pdf = (buffer: Buffer): GivenFile => ({
  name: "report.pdf",
  mimeType: "application/pdf",
  buffer,
});

async function attach(page: Page, ...files: GivenFile[]): Promise<void> {
  await page.locator(".composer input[type=file]").setInputFiles(files);
}

const chips = (page: Page) => page.getByRole("list", { name: "Attached files" });

describe.skipIf(!hasBrowser)("documents on the page", () => {
  useBrowser();

  it("of text are attached with size and tokens, and become part of the prompt", async () => {
    const { url, engine } = await scriptedServer();
    const opened = await openPage(url);
    const { page } = opened;
    await attach(
      page,
      text("notes.md", "# Notes\n\nA *text*."),
      text("data.csv", "a,b\n1,2\n", "text/csv"),
      text("code.ts", "export {};\n", "video/mp2t"),
      text("old.txt", Buffer.from([0x67, 0xfc])),
    );
    await chips(page).getByText("old.txt").waitFor();
    expect(await chips(page).innerText()).toMatch(/notes\.md\s+18 B · about 5 tokens/);
    expect(await chips(page).innerText()).toContain("Read as Windows-1252.");
    await page.getByRole("button", { name: "Remove data.csv" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await ask(page, "Summarise.");
    await endedAnswers(page);
    const [message] = engine.requests.at(-1)?.prompt.messages ?? [];
    expect(message?.content).toBe(
      '<document name="notes.md">\n# Notes\n\nA *text*.\n</document>\n<document name="code.ts">\nexport {};\n</document>\n<document name="old.txt">\ngü\n</document>\nSummarise.',
    );
    expect(await page.getByRole("list", { name: "Files" }).innerText()).toContain("notes.md");
    expect(await chips(page).count()).toBe(0);
    expectQuiet(opened);
  });

  it("are refused if they are binary or empty, with what is accepted", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await attach(
      page,
      text("a.zip", Buffer.from([0x50, 0x4b, 3, 4]), "application/zip"),
      text("b.txt", ""),
      text("c.txt", "fine"),
    );
    const alert = page.getByRole("alert");
    await alert.getByText("a.zip is not a text. Attach plain text, Markdown, CSV").waitFor();
    await alert.getByText("b.txt is empty.").waitFor();
    await chips(page).getByText("c.txt").waitFor();
    await alert.getByRole("button", { name: "Dismiss" }).click();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("that fill the model's context are reported", async () => {
    const { url } = await scriptedServer(undefined, {}, { contextSize: 1000 });
    const { page } = await openPage(url);
    await page.getByRole("button", { name: "Model: scripted, loaded" }).waitFor();
    await attach(page, text("a.txt", "word ".repeat(500)));
    await page.getByRole("status").getByText("over half of the model’s context").waitFor();
    await attach(page, text("b.txt", "word ".repeat(500)));
    await page.getByRole("status").getByText("more than the model’s context of 1,000").waitFor();
  });

  it("in PDF are read page by page", async () => {
    const { url, engine } = await scriptedServer();
    const opened = await openPage(url);
    const { page } = opened;
    const pages = [{ lines: ["First line", "Second line"] }, {}, { lines: ["Last page"] }];
    await attach(page, pdf(buildPdf(pages)));
    await chips(page).getByText("Left out, without text: page 2.").waitFor();
    await ask(page, "");
    await endedAnswers(page);
    const [message] = engine.requests.at(-1)?.prompt.messages ?? [];
    expect(message?.content).toBe(
      '<document name="report.pdf">\n[Page 1]\nFirst line\nSecond line\n\n[Page 3]\nLast page\n</document>',
    );
    await page.getByRole("link", { name: "report.pdf" }).waitFor();
    expectQuiet(opened);
  });

  it("in PDF have pages without text as images, where the model sees", async () => {
    const { url, engine } = await scriptedServer(
      undefined,
      { mediaLimits: { files: 4, fileBytes: 1_000_000, totalBytes: 4_000_000 } },
      { media: ["image"] },
    );
    const opened = await openPage(url);
    const { page } = opened;
    await untilAccepted(page, "image");
    await attach(page, pdf(buildPdf([{ lines: ["A title"] }, {}])));
    await chips(page).getByText("1 page without text attached as images.").waitFor();
    await ask(page, "Describe it.");
    await endedAnswers(page);
    const content = [engine.requests.at(-1)?.prompt.messages[0]?.content].flat();
    expect(content).toHaveLength(3);
    expect(JSON.stringify(content[0])).toContain("[Page 2: image]");
    expect(content[1]).toMatchObject({ type: "media", kind: "image" });
    const colour = await page.locator(".question img").evaluate((image) => {
      const context = document.createElement("canvas").getContext("2d");
      context?.drawImage(image as HTMLImageElement, 600, 800, 1, 1, 0, 0, 1, 1);
      return [...(context?.getImageData(0, 0, 1, 1).data ?? [])];
    });
    // The rectangle is blue.
    expect(colour[2]).toBeGreaterThan(200);
    expect(colour[0]).toBeLessThan(60);
    expectQuiet(opened);
  });

  it.each([
    ["is encrypted", buildPdf([{ lines: ["x"] }], { isEncrypted: true }), "Remove its password"],
    ["has no text", buildPdf([{}]), "its pages are probably scans"],
    ["is damaged, or not a PDF", Buffer.from("%PDF-1.4\nnothing"), "."],
  ])("in PDF are refused with a reason: it %s", async (reason, content, advice) => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await attach(page, pdf(content));
    const alert = page.getByRole("alert").getByText(`report.pdf ${reason}`);
    await alert.waitFor();
    expect(await alert.innerText()).toContain(advice);
    expect(await chips(page).count()).toBe(0);
  });

  it("in PDF can be cancelled while they are read", async () => {
    const { url } = await scriptedServer();
    const { page, context } = await openPage(url);
    // The reader never arrives.
    await context.route(/pdf\.worker/, () => undefined);
    await attach(page, pdf(buildPdf([{ lines: ["x"] }])), text("after.txt", "fine"));
    await page.getByText("Reading report.pdf").waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Cancel" }).click();
    await chips(page).getByText("after.txt").waitFor();
    expect(await chips(page).getByText("report.pdf").count()).toBe(0);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("have a worker without network and without code from texts", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    const [worker] = await Promise.all([
      page.waitForEvent("worker"),
      attach(page, pdf(buildPdf(Array.from({ length: 400 }, () => ({ lines: ["x"] }))))),
    ]);
    const outcomes = await worker.evaluate(async () => {
      const attempt = async (task: () => unknown) => {
        // Code of the developer tools may evaluate texts; code in a timer may not.
        await new Promise((resolve) => setTimeout(resolve));
        try {
          await task();
          return "done";
        } catch {
          return "refused";
        }
      };
      return [await attempt(() => fetch("/health")), await attempt(() => new Function("1"))];
    });
    expect(outcomes).toEqual(["refused", "refused"]);
  });

  it("can be dropped anywhere on the page", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await page.getByLabel("Your message").waitFor();
    await page.locator("body").evaluate((body) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["a text"], "dropped.txt", { type: "text/plain" }));
      body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    });
    await chips(page).getByText("dropped.txt").waitFor();
  });
});
