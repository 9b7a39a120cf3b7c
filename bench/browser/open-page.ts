import type { Browser, Page } from "playwright-core";
import { InputError } from "../../models/command-line/input-error.js";

const VIEWPORT = { width: 1200, height: 800 };

/** Opens a browser page with an empty cache for the duration of a callback. */
export async function withColdPage<Result>(
  browser: Browser,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/**
 * Opens the server's page and waits until its views have rendered.
 * @throws {InputError} if the server has no page
 */
export async function openPage(page: Page, url: URL): Promise<void> {
  const response = await page.goto(url.href);
  if (!response?.headers()["content-type"]?.startsWith("text/html")) {
    throw new InputError(`${url.origin}: expected the page at /; run npm run build`);
  }
  await page.locator("main#main").waitFor();
}
