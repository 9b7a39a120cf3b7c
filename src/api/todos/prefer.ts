/** A piece of a list: anything but the separator, or a quoted string, which may hold separators. */
const betweenCommas = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;
const betweenSemicolons = /(?:[^";]|"(?:[^"\\]|\\.)*"?)+/g;

/** `token [ "=" ( token / quoted-string ) ]`, with RFC 9110's tokens. */
const preference =
  /^([!#$%&'*+\-.^_`|~\w]+)[ \t]*(?:=[ \t]*(?:([!#$%&'*+\-.^_`|~\w]+)|"((?:[^"\\]|\\.)*)")?)?$/;

/**
 * The preferences of a `Prefer` header (RFC 7240), by lower-case name. One without a value, or with
 * an empty one, has the value `""`. Of a name that comes twice the first is taken (section 2).
 *
 * Parameters after a semicolon are dropped: no preference known here has any. What does not follow
 * the grammar is ignored, as any preference that a server does not honour.
 */
export function parsePrefer(header: string): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  for (const [element] of header.matchAll(betweenCommas)) {
    const [first = ""] = element.match(betweenSemicolons) ?? [];
    const [, name, token, quoted] = preference.exec(first.trim()) ?? [];
    if (name === undefined || preferences.has(name.toLowerCase())) continue;
    preferences.set(name.toLowerCase(), token ?? unescapeQuoted(quoted ?? ""));
  }
  return preferences;
}

/**
 * Whether a client asks for `return=minimal` (RFC 7240, section 4.2). Name and value may be in any
 * case, as everything that RFC 5234 writes in quotes.
 *
 * @param header the request's header, a list when it came in several lines
 */
export function prefersMinimal(header: string | readonly string[] | undefined): boolean {
  const value = parsePrefer([header ?? []].flat().join(",")).get("return");
  return value?.toLowerCase() === "minimal";
}

/** `\x` in a quoted string stands for `x` (RFC 9110, section 5.6.4). */
function unescapeQuoted(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}
