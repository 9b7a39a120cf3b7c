/**
 * Largest bodies with images and audio, for each API that accepts them, and the longest texts for a
 * server that accepts media.
 */
import {
  type BodyBuilder,
  type BodySizes,
  chatBody,
  filled,
  listOf,
  message,
  object,
} from "./stalls-body.js";
import { limits } from "./stalls-limits.js";
import { posted, type WorstRequests } from "./stalls-request.js";

const MB = 1e6;
const MIB = 2 ** 20;
/** Characters of base64 per byte. */
const PER_BYTE = 4 / 3;
/** Default of `--max-body` for a server that accepts media. */
const MAX_BODY = 32 * MIB;
/** PNG of one pixel, in 69 bytes. Bytes after it are not read. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/** Far more images than a request may have. */
const MANY_IMAGES = 1_000;

/** Builds a body of this many bytes, scaled like the others. */
const ofBytes = (bytes: number, unit: string, write: (text: string) => string): BodyBuilder => {
  return (sizes: BodySizes) => filled((sizes.bytes / limits.bytes) * bytes, unit, write);
};

/** Builds a body with a picture in a file of this many bytes. */
const withFile = (bytes: number, write: (base64: string) => string): BodyBuilder =>
  ofBytes(bytes * PER_BYTE, "AAAA", (filling) => write(PICTURE + filling));

const imagePart = (base64: string) =>
  object({
    type: '"image_url"',
    image_url: object({ url: `"data:image/png;base64,${base64}"` }),
  });
const chatOf = (...parts: readonly string[]) =>
  chatBody({ messages: `[${object({ role: '"user"', content: `[${parts.join(",")}]` })}]` });
const chatWithImage = (base64: string) => chatOf(imagePart(base64));
const chatWithText = (text: string) => chatBody({ messages: `[${message(text)}]` });

const chats = posted("/v1/chat/completions", {
  "an image of 5 MB": withFile(5 * MB, chatWithImage),
  "an image of 20 MB": withFile(20 * MB, chatWithImage),
  "an image of 20 MB that is no base64": withFile(20 * MB, (base64) => chatWithImage(`${base64}!`)),
  "three images, 32 MiB in all": ofBytes(MAX_BODY / 3 - MIB, "AAAA", (filling) => {
    const part = imagePart(PICTURE + filling);
    return chatOf(part, part, part);
  }),
  "audio of 20 MB": withFile(20 * MB, (base64) =>
    chatOf(object({ type: '"input_audio"', input_audio: object({ data: `"${base64}"` }) })),
  ),
  "a prompt of 8 MB": ofBytes(8 * MB, "able ", chatWithText),
  "a prompt of 32 MiB": ofBytes(MAX_BODY, "able ", chatWithText),
  "a prompt of 32 MiB of quotes": ofBytes(MAX_BODY, '\\"', chatWithText),
});

const inResponse = (base64: string) => {
  const part = object({
    type: '"input_image"',
    image_url: `"data:image/png;base64,${base64}"`,
  });
  return object({
    input: `[${object({ role: '"user"', content: `[${part}]` })}]`,
    max_output_tokens: "8",
  });
};
const inMessage = (base64: string) => {
  const source = object({ type: '"base64"', media_type: '"image/png"', data: `"${base64}"` });
  const block = object({ type: '"image"', source });
  return object({
    max_tokens: "8",
    messages: `[${object({ role: '"user"', content: `[${block}]` })}]`,
  });
};
const inOllamaChat = (base64: string) => {
  const said = object({ role: '"user"', content: '"a"', images: `["${base64}"]` });
  return object({ messages: `[${said}]`, stream: "false", options: '{"num_predict":8}' });
};
const inOllamaPrompt = (base64: string) =>
  object({ prompt: '"a"', images: `["${base64}"]`, options: '{"num_predict":8}' });
const inMarkedPrompt = (base64: string) =>
  object({
    prompt: object({ prompt_string: '"<__media__>"', multimodal_data: `["${base64}"]` }),
    n_predict: "8",
  });
const inItem = (base64: string) => {
  const part = object({
    type: '"input_image"',
    image_url: `"data:image/png;base64,${base64}"`,
  });
  const item = object({ type: '"message"', role: '"user"', content: `[${part}]` });
  return object({ items: `[${item}]` });
};
const manyMarks = (text: string) => {
  const marks = Array.from({ length: MANY_IMAGES }, (_, index) => `[img-${index}]`).join("");
  const images = listOf(MANY_IMAGES, () => '"AAAA"');
  return object({ raw: "true", prompt: `"${text}${marks}"`, images: `[${images}]` });
};

const others: readonly [string, (base64: string) => string][] = [
  ["/v1/chat/completions/input_tokens", chatWithImage],
  ["/apply-template", chatWithImage],
  ["/v1/responses", inResponse],
  ["/v1/responses/input_tokens", inResponse],
  ["/v1/conversations", inItem],
  ["/v1/messages", inMessage],
  ["/v1/messages/count_tokens", inMessage],
  ["/api/chat", inOllamaChat],
  ["/api/generate", inOllamaPrompt],
  ["/completion", inMarkedPrompt],
];

export const mediaRequests: WorstRequests = Object.assign(
  {},
  chats,
  ...others.map(([path, write]) => posted(path, { "an image of 20 MB": withFile(20 * MB, write) })),
  posted("/api/generate", {
    "most images behind a long text": ofBytes(20 * MB, "able ", manyMarks),
  }),
);
