import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const styles = new URL("../../src/page/style/", import.meta.url);
const readStyle = (name: string) => readFileSync(new URL(name, styles), "utf8");
const withoutComments = (css: string) => css.replaceAll(/\/\*[\s\S]*?\*\//g, "");

const [tokenRules = ""] = withoutComments(readStyle("tokens.css")).split("@media");
const tokens = new Map(
  [...tokenRules.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]),
);

const otherFiles = readdirSync(styles).filter(
  (name) => name.endsWith(".css") && name !== "tokens.css",
);

/** Splits `light-dark(a, b)` into its two colours; other values are the same in both schemes. */
function inSchemes(value: string): readonly [light: string, dark: string] {
  const [, light = value, dark = value] =
    /^light-dark\(((?:[^(),]|\([^)]*\))+),\s*((?:[^(),]|\([^)]*\))+)\)$/.exec(value) ?? [];
  return [light.trim(), dark.trim()];
}

describe("the tokens of the page", () => {
  const rows = readFileSync(new URL("../../docs/design.md", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `--"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );

  it("are listed in docs/design.md with their values and their use", () => {
    const listed = rows.map(([name = "", ...cells]) => [name, ...cells.slice(0, -1)]);
    const declared = [...tokens].map(([name, value]) => {
      const [light, dark] = inSchemes(value);
      return value.startsWith("light-dark(") ? [name, light, dark] : [name, value];
    });
    expect(listed).toEqual(declared);
    expect(rows.filter((cells) => cells.at(-1) === "")).toEqual([]);
  });

  it("are all used", () => {
    const css = readdirSync(styles)
      .filter((name) => name.endsWith(".css"))
      .map(readStyle)
      .join("\n");
    expect([...tokens.keys()].filter((name) => !css.includes(`var(${name})`))).toEqual([]);
  });
});

describe("a style sheet other than tokens.css", () => {
  it.each(otherFiles)("uses tokens for colours and font sizes: %s", (name) => {
    const css = withoutComments(readStyle(name));
    const literals = css.match(
      /(?<![\w-])(?:#[\da-f]{3,8}\b|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|light-dark)\([^;]*|font(?:-size)?:[^;]*\d(?:px|pt)\b[^;]*)/gi,
    );
    expect(literals ?? []).toEqual([]);
  });
});

/** Relative luminance of `#rgb` or `#rrggbb`: WCAG 2.2. */
function luminance(colour: string): number {
  const digits = colour.slice(1);
  const full = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4]
    .map((start) => Number.parseInt(full.slice(start, start + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const TEXT = 4.5;
const SHAPE = 3;
const pages = ["--background", "--surface", "--raised"];

describe("the contrast of", () => {
  it("black and white is 21", () => {
    expect(contrast("#000", "#ffffff")).toBeCloseTo(21);
  });

  it.each<[colour: string, least: number, backgrounds: readonly string[]]>([
    ["--text", TEXT, [...pages, "--hover", "--own"]],
    ["--quiet", TEXT, [...pages, "--hover", "--own"]],
    ["--accent", TEXT, [...pages, "--own", "--hover"]],
    ["--on-accent", TEXT, ["--accent"]],
    ["--bad", TEXT, [...pages, "--bad-surface"]],
    ["--good", TEXT, pages],
    ["--warn", TEXT, [...pages, "--warn-surface"]],
    ["--syntax-keyword", TEXT, pages],
    ["--syntax-number", TEXT, pages],
    ["--outline", SHAPE, pages],
    ["--prompt", SHAPE, pages],
  ])("%s is at least %d in both schemes", (colour, least, backgrounds) => {
    for (const background of backgrounds) {
      for (const scheme of [0, 1] as const) {
        const [front, back] = [colour, background].map(
          (name) => inSchemes(tokens.get(name) ?? "")[scheme],
        );
        expect(contrast(front ?? "", back ?? ""), `on ${background}`).toBeGreaterThanOrEqual(least);
      }
    }
  });
});
