/**
 * Values of llama.cpp's `llama_pooling_type` that these models use. The score of `rank` comes from
 * the first position of an encoder, and from the last one of a Qwen 3 decoder.
 */
export const poolingTypes = { mean: 1, last: 3, rank: 4 } as const;
