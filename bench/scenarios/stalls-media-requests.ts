/** Largest bodies with images and audio, for each API that accepts them, and forms with files. */
import {
  type BodyBuilder,
  filling,
  limits,
  listOf,
  posted,
  type WorstRequests,
} from "./stalls-body.js";

const MB = 1e6;
const MIB = 2 ** 20;
/** Characters of base64 per byte. */
const PER_BYTE = 4 / 3;
/** Default of `--max-body` for a server that accepts media. */
const MAX_BODY = 32 * MIB;
/** PNG of one pixel, in 69 bytes. Bytes after it are not read. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const IMAGE_URL = `"data:image/png;base64,${PICTURE}…"`;
/** Far more images than a request may have. */
const MANY_IMAGES = 1_000;

/** Builds a body of this many bytes, scaled like the others. */
const ofBytes = (bytes: number, unit: string, template: string): BodyBuilder =>
  filling(unit, template, bytes / limits.bytes);
/** Builds a body with a file of this many bytes in base64. */
const withFile = (bytes: number, template: string): BodyBuilder =>
  ofBytes(bytes * PER_BYTE, "AAAA", template);

const IMAGE = `{"type":"image_url","image_url":{"url":${IMAGE_URL}}}`;
const chat = (parts: string) =>
  `{"max_tokens":8,"messages":[{"role":"user","content":[${parts}]}]}`;
const PROMPT = '{"max_tokens":8,"messages":[{"role":"user","content":"…"}]}';
const RESPONSE = `{"max_output_tokens":8,"input":[{"role":"user","content":[{"type":"input_image","image_url":${IMAGE_URL}}]}]}`;
const MESSAGE = `{"max_tokens":8,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${PICTURE}…"}}]}]}`;

/** Bodies with an image, by route. */
const images: Readonly<Record<string, string>> = {
  "/v1/chat/completions": chat(IMAGE),
  "/v1/chat/completions/input_tokens": chat(IMAGE),
  "/apply-template": chat(IMAGE),
  "/v1/responses": RESPONSE,
  "/v1/responses/input_tokens": RESPONSE,
  "/v1/conversations": `{"items":[{"type":"message","role":"user","content":[{"type":"input_image","image_url":${IMAGE_URL}}]}]}`,
  "/v1/messages": MESSAGE,
  "/v1/messages/count_tokens": MESSAGE,
  "/api/chat": `{"messages":[{"role":"user","content":"a","images":["${PICTURE}…"]}],"stream":false,"options":{"num_predict":8}}`,
  "/api/generate": `{"prompt":"a","images":["${PICTURE}…"],"options":{"num_predict":8}}`,
  "/completion": `{"prompt":{"prompt_string":"<__media__>","multimodal_data":["${PICTURE}…"]},"n_predict":8}`,
};

const imageRequests = Object.entries(images).map(([path, template]) =>
  posted(path, { "an image of 20 MB": withFile(20 * MB, template) }),
);

const largeBodies = {
  ...posted("/v1/chat/completions", {
    "an image of 5 MB": withFile(5 * MB, chat(IMAGE)),
    "an image of 20 MB that is no base64": withFile(20 * MB, chat(IMAGE.replace("…", "…!"))),
    "three images, 32 MiB in all": ofBytes(
      MAX_BODY / 3 - MIB,
      "AAAA",
      chat(`${IMAGE},${IMAGE},${IMAGE}`),
    ),
    "audio of 20 MB": withFile(20 * MB, chat('{"type":"input_audio","input_audio":{"data":"…"}}')),
    "a prompt of 8 MB": ofBytes(8 * MB, "able ", PROMPT),
    "a prompt of 32 MiB": ofBytes(MAX_BODY, "able ", PROMPT),
    "a prompt of 32 MiB of quotes": ofBytes(MAX_BODY, '\\"', PROMPT),
  }),
  ...posted("/api/generate", {
    "most images behind a long text": ofBytes(
      20 * MB,
      "able ",
      `{"raw":true,"prompt":"…${Array.from({ length: MANY_IMAGES }, (_, index) => `[img-${index}]`).join("")}","images":[${listOf(MANY_IMAGES, () => '"AAAA"')}]}`,
    ),
  }),
};

const headers = { "content-type": "multipart/form-data; boundary=b" };
const FILE =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n…\r\n--b--\r\n';

const forms: Readonly<Record<string, BodyBuilder>> = {
  "most parts": filling("--b\r\n\r\n\r\n", "…"),
  "a file of 20 MB": ofBytes(20 * MB, "a", FILE),
  // Each line may be a boundary.
  "a file of beginnings of boundaries": filling("\r\n--", FILE),
};

const formPaths = ["/v1/audio/transcriptions", "/v1/audio/translations", "/v1/files"];
const formRequests = formPaths.flatMap((path) =>
  Object.entries(posted(path, forms)).map(([name, request]) => [name, { ...request, headers }]),
);

export const mediaRequests: WorstRequests = Object.assign(
  {},
  largeBodies,
  ...imageRequests,
  Object.fromEntries(formRequests),
);
