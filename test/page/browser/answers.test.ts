import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";
import { readAnswers } from "../markdown/read-answers.js";

const WIDTHS = [1200, 390];

/** Syntax whose renderer is loaded on demand, and elements that it creates. */
const LOADED_ON_DEMAND = [
  [/```(?:js|json|python|typescript)\n/, "[class^=hljs-]"],
  [/^\$\$/m, "math"],
] as const;

/** Adds a conversation with an answer for each text. @returns its id */
async function addConversation(url: string, texts: readonly string[]): Promise<string> {
  const items = texts.flatMap((text, index) => [
    { role: "user", content: `Question ${index + 1}` },
    { role: "assistant", content: text },
  ]);
  const created = await fetch(`${url}/v1/conversations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ items }),
  });
  return ((await created.json()) as { readonly id: string }).id;
}

/** Layout errors of the answers: text outside its container, on other text, or broken numbers. */
async function findLayoutErrors(page: Page): Promise<readonly string[]> {
  const texts = page.locator(".answer .markdown");
  const errors = await Promise.all([
    texts.evaluateAll(findTooWide),
    texts.evaluateAll(findOverlaps),
    texts.evaluateAll(findBrokenNumbers),
  ]);
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  return [...errors.flat(), ...(isWide ? ["the page scrolls sideways"] : [])];
}

// The browser runs each of these functions separately from the rest of this file.

function findTooWide(texts: readonly Element[]): string[] {
  return texts.flatMap((text) => {
    const limits = text.getBoundingClientRect();
    const isContained = (element: Element): boolean => {
      const { left, right } = element.getBoundingClientRect();
      if (left >= limits.left - 1 && right <= limits.right + 1) return true;
      const { parentElement: parent } = element;
      if (parent === null || parent === text) return false;
      return getComputedStyle(parent).overflowX !== "visible" || isContained(parent);
    };
    return [...text.querySelectorAll("*")]
      .filter((element) => !isContained(element))
      .map(({ outerHTML }) => `too wide: ${outerHTML.slice(0, 80)}`);
  });
}

function findOverlaps(texts: readonly Element[]): string[] {
  return texts.flatMap((text) =>
    [...text.querySelectorAll("*")]
      .filter(({ previousElementSibling: previous, parentElement: parent }) => {
        // Inline elements and parts of formulas are next to each other.
        const isBlock = parent?.matches(".markdown, ul, ol, li, blockquote, section");
        return isBlock === true && previous !== null;
      })
      .filter((element) => {
        const bottom = element.previousElementSibling?.getBoundingClientRect().bottom ?? 0;
        return element.getBoundingClientRect().top < bottom - 1 && element.tagName !== "BUTTON";
      })
      .map(({ outerHTML }) => `overlaps the text above: ${outerHTML.slice(0, 80)}`),
  );
}

function findBrokenNumbers(texts: readonly Element[]): string[] {
  return texts
    .flatMap((text) => [...text.querySelectorAll("td")])
    .filter((cell) => {
      if (!/^[\d.,$%]+$/.test(cell.textContent ?? "")) return false;
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
    })
    .map(({ textContent }) => `broken number: ${textContent}`);
}

describe.skipIf(!hasBrowser)("answers of models in a browser", () => {
  useBrowser();

  const answers = [...readAnswers().values()];
  const groups = Array.from({ length: Math.ceil(answers.length / 13) }, (_, index) =>
    answers.slice(index * 13, index * 13 + 13),
  );

  it.each(groups.map((texts, index) => [index + 1, texts] as const))(
    "fit their containers at all widths: group %i",
    async (_number, texts) => {
      const { url } = await scriptedServer();
      const id = await addConversation(url, texts);
      const opened = await openPage(url);
      const { page } = opened;
      await page.goto(`${url}/#/chat/${id}`);
      await page
        .locator(".answer .markdown:not(.unparsed)")
        .nth(texts.length - 1)
        .waitFor();
      for (const [syntax, element] of LOADED_ON_DEMAND) {
        if (texts.some((text) => syntax.test(text))) {
          await page.locator(`.answer ${element}`).first().waitFor();
        }
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        expect(await findLayoutErrors(page), `at ${width} pixels`).toEqual([]);
      }
      expect(await violationsOf(page)).toEqual([]);
      expectQuiet(opened);
    },
  );
});
