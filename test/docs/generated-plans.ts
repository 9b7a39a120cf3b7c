/** The generated file for which the memory of every model is planned. */
export const PLANS = "docs/memory.md";
