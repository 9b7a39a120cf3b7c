import type { ItemResponse, OutputItem, ResponseObject } from "./response-schema.js";

/** The output of a response that has ended, as a conversation keeps it: its last item says what is known of the response. */
export function withFigures(response: ResponseObject): readonly OutputItem[] {
  const last = response.output.length - 1;
  return response.output.map((item, index) =>
    index === last ? { ...item, response: figuresOf(response) } : item,
  );
}

function figuresOf({
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
