import type { InjectOptions } from "fastify";

/** Value of a form field. */
export type FieldValue = string | Blob | readonly (string | Blob)[];

/** A form as a client of HTTP sends it. */
export function formOf(fields: Readonly<Record<string, FieldValue>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) {
      if (typeof one === "string") form.append(name, one);
      else form.append(name, one, "a-file");
    }
  }
  return form;
}

/** The part of a request for `inject()` that has a form. */
export async function formPayload(
  fields: Readonly<Record<string, FieldValue>>,
): Promise<Pick<InjectOptions, "payload" | "headers">> {
  const encoded = new Response(formOf(fields));
  return {
    headers: { "content-type": encoded.headers.get("content-type") ?? "" },
    payload: Buffer.from(await encoded.arrayBuffer()),
  };
}
