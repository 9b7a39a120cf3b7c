import type { Purpose } from "../models/random/shapes.js";

/** Output of a scenario's models: text, embeddings or scores. */
export type ModelPurpose = "generate" | Purpose;
