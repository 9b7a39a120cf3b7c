import { z } from "zod";
import { MAX_CONVERSATION_ID_CHARACTERS } from "../../core/conversation-id.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerParameter } from "../../validation/parameters.js";

/** Maximum ids of one lookup. */
const MAX_IDS = 1000;

const EXPECTED_ID = `expected the X-Conversation-Id of a request, of 1 to ${MAX_CONVERSATION_ID_CHARACTERS} characters`;

function conversationIdSchema() {
  return z
    .string({ error: EXPECTED_ID })
    .min(1, { error: EXPECTED_ID })
    .max(MAX_CONVERSATION_ID_CHARACTERS, { error: EXPECTED_ID })
    .meta({ description: "The `X-Conversation-Id` of the request.", example: "chat-1" });
}

/** Query that names the stream of a conversation. Unknown parameters are ignored. */
export const streamQuery = z.object({ conv_id: conversationIdSchema() });

/** Query of a stream to read. */
export const readQuery = streamQuery.extend({
  from: integerParameter(0, Number.MAX_SAFE_INTEGER).default(0).meta({
    description: "Number of bytes that the client has received already.",
    example: 0,
  }),
});

/** Body of a lookup. */
export const streamLookup = z
  .looseObject(
    {
      conversation_ids: boundedArray(
        z.array(conversationIdSchema(), { error: "expected a list of conversation ids" }).meta({
          description: "Ids of conversations. `ID` also finds the streams of `ID::MODEL`.",
        }),
        { max: MAX_IDS, of: "conversation ids" },
      ),
    },
    { error: "expected a JSON object with conversation_ids" },
  )
  .meta({ id: "StreamLookup" });

const foundStream = z.object({
  conversation_id: z.string(),
  is_done: z.boolean().meta({ description: "Whether the stream has ended." }),
  total_bytes: z.int().nonnegative().meta({ description: "Bytes of the stream so far." }),
  started_at: z.int().nonnegative().meta({ description: "Unix time in seconds." }),
  completed_at: z
    .int()
    .nonnegative()
    .meta({ description: "Unix time in seconds; 0 while the stream has not ended." }),
});

/** Streams that a lookup has found. */
export const foundStreams = z.array(foundStream).meta({ id: "FoundStreams" });

/** Metadata of a stream, with Unix times in milliseconds. */
interface StreamFacts {
  readonly id: string;
  readonly buffer: { readonly length: number };
  readonly beganAt: number;
  /** `undefined`: the stream has not ended. */
  readonly endedAt: number | undefined;
}

export function toFoundStream({
  id,
  buffer,
  beganAt,
  endedAt,
}: StreamFacts): z.infer<typeof foundStream> {
  return {
    conversation_id: id,
    is_done: endedAt !== undefined,
    total_bytes: buffer.length,
    started_at: Math.floor(beganAt / 1000),
    completed_at: Math.floor((endedAt ?? 0) / 1000),
  };
}
