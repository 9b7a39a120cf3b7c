import { connections } from "./connections.js";
import { decode } from "./decode.js";
import { dialects } from "./dialects.js";
import { embeddings } from "./embeddings.js";
import { goodput } from "./goodput.js";
import { json } from "./json.js";
import { mixed } from "./mixed.js";
import { multiTurn } from "./multi-turn.js";
import { prefill } from "./prefill.js";
import { rag } from "./rag.js";
import { reranking } from "./reranking.js";
import type { Scenario } from "./scenario.js";
import { sharedPrefix } from "./shared-prefix.js";
import { soak } from "./soak.js";
import { spec } from "./spec.js";
import { stalls } from "./stalls.js";

/** All HTTP scenarios, in the order of the documentation. */
export const scenarios: readonly Scenario[] = [
  decode,
  prefill,
  sharedPrefix,
  multiTurn,
  mixed,
  rag,
  goodput,
  spec,
  json,
  dialects,
  embeddings,
  reranking,
  connections,
  stalls,
  soak,
];
