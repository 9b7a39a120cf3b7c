import type { ItemResponse, OutputItem } from "./item-schema.js";
import type { ResponseObject } from "./response-schema.js";

/**
 * Returns the output of a completed response as stored in a conversation: its last item carries the
 * metadata of the response.
 */
export function withResponseMetadata(response: ResponseObject): readonly OutputItem[] {
  const last = response.output.length - 1;
  return response.output.map((item, index) =>
    index === last ? { ...item, response: toResponseMetadata(response) } : item,
  );
}

function toResponseMetadata({
  id,
  model,
  status,
  created_at,
  usage,
  timings,
  error,
}: ResponseObject): ItemResponse {
  return {
    id,
    model,
    status,
    created_at,
    ...(usage && { usage }),
    ...(timings && { timings }),
    error: error?.message ?? null,
  };
}
