import { adapters } from "./adapters.js";
import { batch } from "./batch.js";
import { batchBesideChats } from "./batch-beside-chats.js";
import { batchEmbeddings } from "./batch-embeddings.js";
import { chaos } from "./chaos.js";
import { connections } from "./connections.js";
import { decode } from "./decode.js";
import { dialects } from "./dialects.js";
import { embeddings } from "./embeddings.js";
import { goodput } from "./goodput.js";
import { hostileImages } from "./hostile-images.js";
import { images } from "./images.js";
import { json } from "./json.js";
import { mixed } from "./mixed.js";
import { multiTurn } from "./multi-turn.js";
import { overload } from "./overload.js";
import { page } from "./page.js";
import { prefill } from "./prefill.js";
import { rag } from "./rag.js";
import { replicas } from "./replicas.js";
import { reranking } from "./reranking.js";
import { rolling } from "./rolling.js";
import type { Scenario } from "./scenario.js";
import { sharedPrefix } from "./shared-prefix.js";
import { soakDialects } from "./soak-dialects.js";
import { stalls } from "./stalls.js";
import { startup } from "./startup.js";
import { switching } from "./switching.js";
import { usage } from "./usage.js";

/** All HTTP scenarios, in the order of the documentation. */
export const scenarios: readonly Scenario[] = [
  startup,
  decode,
  adapters,
  prefill,
  sharedPrefix,
  multiTurn,
  replicas,
  mixed,
  images,
  hostileImages,
  page,
  rag,
  goodput,
  json,
  dialects,
  usage,
  embeddings,
  reranking,
  batchEmbeddings,
  batchBesideChats,
  batch,
  connections,
  stalls,
  soakDialects,
  overload,
  chaos,
  rolling,
  switching,
];
