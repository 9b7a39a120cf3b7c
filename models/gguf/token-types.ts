/** llama.cpp's `llama_token_type`, as far as models here use it. */
export const tokenTypes = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const;
