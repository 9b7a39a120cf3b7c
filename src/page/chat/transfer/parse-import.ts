import { isChatGptConversation, parseChatGpt } from "./chatgpt.js";
import { isGgufdFile, parseGgufdFile } from "./ggufd-file.js";
import { ImportError, isObject, type ParsedImport } from "./imported.js";
import { isOpenWebUiChat, parseOpenWebUi } from "./open-webui.js";

const EXPECTED =
  "Expected a file with chats: exported by ggufd, conversations.json of ChatGPT's export, or chats exported by Open WebUI";

/**
 * Reads the conversations in a file of any known format.
 * @throws {ImportError} saying what was expected, and what the file is
 */
export function parseImport(text: string): ParsedImport {
  const value = parseJson(text);
  if (isGgufdFile(value)) return { source: "ggufd", ...parseGgufdFile(value) };
  const values = Array.isArray(value) ? value : [value];
  if (values.some(isChatGptConversation)) return { source: "ChatGPT", ...parseChatGpt(values) };
  if (values.some(isOpenWebUiChat)) return { source: "Open WebUI", ...parseOpenWebUi(values) };
  throw new ImportError(`${EXPECTED}; got ${describe(value)}.`);
}

function parseJson(text: string): unknown {
  if (text.startsWith("PK")) {
    throw new ImportError(
      `${EXPECTED}; got a ZIP archive. Unpack it, and choose the JSON file in it.`,
    );
  }
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    const got = text.trim() === "" ? "an empty file" : "a file that is not JSON";
    throw new ImportError(`${EXPECTED}; got ${got}.`);
  }
}

const MAX_FIELDS = 5;

function describe(value: unknown): string {
  if (Array.isArray(value)) {
    const [first] = value;
    return first === undefined
      ? "an empty array"
      : `an array whose first element is ${describe(first)}`;
  }
  if (!isObject(value)) return `JSON of the type ${value === null ? "null" : typeof value}`;
  const names = Object.keys(value).slice(0, MAX_FIELDS);
  return names.length === 0 ? "an empty object" : `an object with the fields ${names.join(", ")}`;
}
