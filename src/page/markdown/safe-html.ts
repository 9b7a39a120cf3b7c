import createDOMPurify from "dompurify";

const purify = createDOMPurify(window);

/** Permitted targets of links: other pages, mail addresses, and footnotes of a message. */
const LINK_TARGETS = /^(?:https?:|mailto:|#[\w-]+-footnote-\d+$)/i;

// Links open outside the page and send no referrer, except those to footnotes.
purify.addHook("afterSanitizeAttributes", (node) => {
  const target = node.getAttribute("href") ?? "";
  if (node.nodeName !== "A" || !LINK_TARGETS.test(target)) {
    node.removeAttribute("href");
    return;
  }
  if (target.startsWith("#")) return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

/**
 * Sanitises markup to texts, lists, tables, code, links and MathML. All markup derived from a
 * model's text passes through here; the browser accepts markup from nowhere else (`trusted-types`
 * in the page's content security policy).
 * @returns a value for `dangerouslySetInnerHTML`
 */
export function sanitizeMarkup(markup: string): string {
  const html = purify.sanitize(markup, {
    ALLOWED_TAGS: [...TEXT_TAGS, ...MATH_TAGS],
    ALLOWED_ATTR: ["href", ...TEXT_ATTRIBUTES, ...MATH_ATTRIBUTES],
    // DOMPurify checks all other attributes as URLs.
    ADD_URI_SAFE_ATTR: [...TEXT_ATTRIBUTES, ...MATH_ATTRIBUTES],
    ALLOWED_URI_REGEXP: LINK_TARGETS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  });
  // Preact passes the trusted HTML on unchanged, although its types only permit strings.
  return html as unknown as string;
}

const TEXT_TAGS = [
  ...["a", "b", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"],
  ...["i", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "sup"],
  ...["table", "tbody", "td", "th", "thead", "tr", "ul"],
];

const TEXT_ATTRIBUTES = ["title", "align", "class", "dir", "tabindex"];

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
  ...[
    "form",
    "height",
    "largeop",
    "linethickness",
    "lspace",
    "mathbackground",
    "mathcolor",
    "mathvariant",
  ],
  ...[
    "maxsize",
    "minsize",
    "movablelimits",
    "notation",
    "rowspan",
    "rspace",
    "scriptlevel",
    "separator",
    "stretchy",
  ],
  ...["symmetric", "voffset", "width", "xmlns"],
];
