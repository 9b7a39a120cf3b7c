import { describe, expect, it } from "vitest";
import { acceptsPage } from "../../../src/api/page/accepts-page.js";

describe("acceptsPage", () => {
  it.each([
    // Chromium, Firefox and Safari.
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html",
    "TEXT/HTML; q=0.5, application/json;q=0.4",
    "application/xhtml+xml",
    "text/html, application/json",
  ])("is true for browsers: %s", (header) => {
    expect(acceptsPage(header)).toBe(true);
  });

  it.each([
    undefined,
    "",
    "*/*",
    "text/*",
    "application/json, text/plain, */*",
    "application/json, text/html;q=0.9",
    "text/html;q=0",
    "text/html;q=nonsense",
    "text/html;q=2",
    "text/htmlx",
  ])("is false for other clients: %s", (header) => {
    expect(acceptsPage(header)).toBe(false);
  });
});
