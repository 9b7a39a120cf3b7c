import type { Purpose } from "../models/random/shapes.js";

/** What a scenario's models compute: text, vectors, or scores. */
export type ModelPurpose = "generate" | Purpose;
