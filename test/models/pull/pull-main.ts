/** A process that pulls: the folder of the machine, the hub and the name are its arguments. Prints an event a line. */
import { join } from "node:path";
import { Puller } from "../../../src/models/pull/puller.js";
import { ModelStore } from "../../../src/models/store/model-store.js";
import { impatient } from "./impatient.js";

const [root = "", endpoint = "", name = ""] = process.argv.slice(2);
const store = new ModelStore({
  own: join(root, "own"),
  huggingFaceCaches: [],
  ollama: [],
  lmStudio: [],
});
const puller = new Puller({
  store,
  environment: { HF_ENDPOINT: endpoint, HF_TOKEN_PATH: "/nowhere" },
  policy: { ...impatient, stallMs: 60_000 },
});
const tell = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);
const { outcome } = await puller.pull(name, {
  signal: new AbortController().signal,
  onEvent: tell,
  network: "allowed",
  ifStored: "keep",
});
tell({ type: outcome });
await puller.close();
