/** The values of llama.cpp's `llama_token_type` that our models use. */
export const tokenTypes = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const;
