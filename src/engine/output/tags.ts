/** An opening tag and its closing tag. */
export interface TagPair {
  readonly open: string;
  readonly close: string;
}

/** The one reasoning format that is parsed. */
export const REASONING_TAGS: TagPair = { open: "<think>", close: "</think>" };

/** The one tool-call format that is parsed, that of Hermes and Qwen: JSON between these tags. */
export const TOOL_CALL_TAGS: TagPair = { open: "<tool_call>", close: "</tool_call>" };
