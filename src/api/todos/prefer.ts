/** A list element: no separators, except inside quoted strings. */
const betweenCommas = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;
const betweenSemicolons = /(?:[^";]|"(?:[^"\\]|\\.)*"?)+/g;

/** `token [ "=" ( token / quoted-string ) ]`, with RFC 9110's tokens. */
const preference =
  /^([!#$%&'*+\-.^_`|~\w]+)[ \t]*(?:=[ \t]*(?:([!#$%&'*+\-.^_`|~\w]+)|"((?:[^"\\]|\\.)*)")?)?$/;

/**
 * Parses the preferences of a `Prefer` header (RFC 7240), by lower-case name. A missing or empty
 * value is `""`. If a name is repeated, the first preference applies (section 2).
 *
 * Parameters after a semicolon are dropped: no supported preference has any. Malformed preferences
 * are ignored, like any preference that a server does not honour.
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
 * Whether a client prefers `return=minimal` (RFC 7240, section 4.2). Name and value are
 * case-insensitive, like all quoted strings of an ABNF grammar (RFC 5234).
 * @param header the request's header, an array if the request has several
 */
export function prefersMinimal(header: string | readonly string[] | undefined): boolean {
  const value = parsePrefer([header ?? []].flat().join(",")).get("return");
  return value?.toLowerCase() === "minimal";
}

/** Unescapes a quoted string, in which `\x` stands for `x` (RFC 9110, section 5.6.4). */
function unescapeQuoted(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}
