import createDOMPurify from "dompurify";

const purify = createDOMPurify(window);

/** Schemes that a link may have. */
const LINKS = /^(?:https?:|mailto:)/i;

// A link leads out of the page, and tells nothing of it.
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "A" || !LINKS.test(node.getAttribute("href") ?? "")) {
    node.removeAttribute("href");
    return;
  }
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

/**
 * What markup may be shown as: texts, lists, tables, code, links and MathML. Whatever was made of a model's text goes
 * through here; the browser takes markup from nowhere else (`trusted-types` of the page's policy).
 * @returns what `dangerouslySetInnerHTML` takes
 */
export function safeHtml(markup: string): string {
  const html = purify.sanitize(markup, {
    ALLOWED_TAGS: [...TEXT_TAGS, ...MATH_TAGS],
    ALLOWED_ATTR: ["href", ...TEXT_ATTRIBUTES, ...MATH_ATTRIBUTES],
    // DOMPurify takes every other attribute for an address.
    ADD_URI_SAFE_ATTR: [...TEXT_ATTRIBUTES, ...MATH_ATTRIBUTES],
    ALLOWED_URI_REGEXP: LINKS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  });
  // Preact passes it on as it is; its types know texts alone.
  return html as unknown as string;
}

const TEXT_TAGS = [
  ...["a", "b", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"],
  ...["i", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "sup"],
  ...["table", "tbody", "td", "th", "thead", "tr", "ul"],
];

const TEXT_ATTRIBUTES = ["title", "start", "align", "class"];

const MATH_TAGS = [
  ...["math", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded"],
  ...[
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
  ],
  ...["msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none"],
];

const MATH_ATTRIBUTES = [
  ...["accent", "accentunder", "columnalign", "columnspan", "display", "displaystyle", "fence"],
  ...["form", "height", "largeop", "linethickness", "lspace", "mathvariant", "maxsize", "minsize"],
  ...["movablelimits", "notation", "rowspan", "rspace", "scriptlevel", "separator", "stretchy"],
  ...["symmetric", "voffset", "width", "xmlns"],
];
