import type { LightMyRequestResponse } from "fastify";
import { expect } from "vitest";

/** Field at fault, as reported by an answer. */
export interface Refusal {
  readonly message: string;
  /** Name of the field, if the dialect reports it; `null`: no single field is at fault. */
  readonly field?: string | null;
}

/** Reads the refusal of a request, and expects that it is one in its dialect's form. */
export type ReadRefusal = (response: LightMyRequestResponse) => Refusal;

const text = expect.stringMatching(/./);
const requestIdOf = ({ headers }: LightMyRequestResponse) => headers["x-request-id"];

export const openAiRefusal: ReadRefusal = (response) => {
  const body = response.json();
  expect(body).toEqual({
    error: {
      message: text,
      type: "invalid_request_error",
      param: body.error?.param === null ? null : text,
      code: expect.stringMatching(/^[a-z_]+$/),
      details: expect.any(Array),
      request_id: requestIdOf(response),
    },
  });
  return { message: body.error.message, field: body.error.param };
};

export const anthropicRefusal: ReadRefusal = (response) => {
  const body = response.json();
  expect(body).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message: text },
    request_id: requestIdOf(response),
  });
  return { message: body.error.message };
};

/** Refusals of Ollama's routes and of the plain to-do service. */
export const plainRefusal: ReadRefusal = (response) => {
  expect(response.json()).toEqual({ error: text });
  return { message: response.json().error };
};

export const conventionalRefusal: ReadRefusal = (response) => {
  const body = response.json();
  expect(body).toEqual({
    error: {
      code: expect.stringMatching(/^[A-Z_]+$/),
      message: text,
      details: expect.any(Array),
      request_id: requestIdOf(response),
    },
  });
  const [detail] = body.error.details;
  return { message: body.error.message, field: detail?.field };
};
