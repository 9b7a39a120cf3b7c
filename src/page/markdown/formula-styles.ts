/** Element with attributes, as temml writes it. Temml escapes quotes and angle brackets in texts. */
const ELEMENT = /<([a-z]+)((?: [\w-]+="[^"]*")+)>/g;
const ATTRIBUTE = / ([\w-]+)="([^"]*)"/g;

/** Colour names and hexadecimal colours. */
const COLOUR = /^(?:#[\da-f]{3,8}|[a-z]{3,25})$/i;
/** Colours that are invisible in light or in dark mode. */
const NEUTRAL = /^(?:black|white|#0{3,6}|#f{3,6})$/i;
/** Size and kind of a line, such as `0.06em solid`. */
const LINE = /^[\d.]+(?:em|px) (?:solid|dashed|double)/;

/** Maximum distance to which an attribute may move a part of a formula, in em. */
const MAX_EM = 20;
const EM_OF_UNIT: Readonly<Record<string, number>> = { em: 1, ex: 0.5, pt: 0.1, px: 0.0625 };

/**
 * Replaces temml's style attributes, which the page's content security policy forbids, by classes
 * of `style/formulas.css` and attributes of MathML. Styles without a replacement are left out, and
 * so are sizes with which a formula would cover other parts of the page.
 */
export function replaceStyles(markup: string): string {
  return markup.replaceAll(ELEMENT, (_, tag: string, list: string) => {
    const attributes = new Map<string, string>();
    for (const [, name = "", value = ""] of list.matchAll(ATTRIBUTE)) {
      if (!isTooFar(value)) attributes.set(name, value);
    }
    const styles = (attributes.get("style") ?? "").split(";").map(toDeclaration);
    attributes.delete("style");
    const classes = (attributes.get("class") ?? "").split(" ");
    for (const [property, value] of styles) {
      if (property !== "color") classes.push(toClass(property, value));
      else if (COLOUR.test(value) && !NEUTRAL.test(value)) attributes.set("mathcolor", value);
    }
    const classNames = classes.filter((name) => name !== "").join(" ");
    if (classNames !== "") attributes.set("class", classNames);
    const printed = [...attributes].map(([name, value]) => ` ${name}="${value}"`);
    return `<${tag}${printed.join("")}>`;
  });
}

function toDeclaration(text: string): readonly [property: string, value: string] {
  const [property = "", value = ""] = text.split(/:(.*)/s, 2);
  return [property.trim(), value.trim()];
}

/** Returns the class that stands for a declaration; empty: none. */
function toClass(property: string, value: string): string {
  const [, side] = /^border-(top|right|bottom|left)$/.exec(property) ?? [];
  if (side !== undefined) return LINE.test(value) ? `formula-line-${side}` : "";
  switch (`${property}: ${value}`) {
    case "padding-left: 0em":
      return "formula-flush-left";
    case "padding-right: 0em":
      return "formula-flush-right";
    case "padding-left: 1em":
      return "formula-gap-left";
    case "padding-right: 1em":
      return "formula-gap-right";
    case "padding: 3pt":
    case "padding: 0.3em":
      return "formula-padded";
    case "width: 50%":
      return "formula-glue";
    case "width: 100%":
      return "formula-wide";
    case "font-weight: bold":
      return "formula-bold";
    default:
      return property === "border" && LINE.test(value) ? "formula-box" : "";
  }
}

/** Whether an attribute is a length that leads out of a formula. */
function isTooFar(value: string): boolean {
  const [, number, unit = ""] = /^([-+]?[\d.]+)(em|ex|pt|px)$/.exec(value) ?? [];
  return number !== undefined && Math.abs(Number(number)) * (EM_OF_UNIT[unit] ?? 1) > MAX_EM;
}
