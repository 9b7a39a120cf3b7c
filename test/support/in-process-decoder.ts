import { decodeFile } from "../../src/engine/media/decode-file.js";
import type { MediaDecoder } from "../../src/engine/media/media-decoder.js";
import { loadDecoder } from "../../src/engine/native/companion/native-decoder.js";

/** Decodes in the process of the tests, without limits of time and memory: test/daemon has the one in another process. */
export const inProcessDecoder: MediaDecoder = {
  decode: (file, accepted) => decodeFile(loadDecoder(), file, accepted),
  close: () => undefined,
};
