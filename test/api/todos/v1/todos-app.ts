import type { FastifyInstance, InjectOptions } from "fastify";
import { expect, onTestFinished } from "vitest";
import type { Todos } from "../../../../src/todos/todo.js";
import { storeInMemory } from "../../../support/store-in-memory.js";
import { buildLoadingApp, type TestAppOptions } from "../../../support/test-app.js";

/** The headers of a request with a JSON payload in text form. */
export const JSON_TYPE = { "content-type": "application/json" };

/** The whole application over an in-memory to-do store; its model never loads. */
export function todosApp(
  todos: Todos = storeInMemory(),
  options: Omit<TestAppOptions, "todos"> = {},
): FastifyInstance {
  const { app } = buildLoadingApp({ ...options, todos });
  onTestFinished(() => app.close());
  return app;
}

/** The application with one item for each title, ids from 1. */
export async function todosAppWith(titles: readonly string[]): Promise<FastifyInstance> {
  const app = todosApp();
  for (const title of titles) await create(app, { title });
  return app;
}

export const create = (app: FastifyInstance, payload: object, headers = {}) =>
  app.inject({ method: "POST", url: "/v1/todos", payload, headers });

/** The list of the plain service, independent of `/v1/todos`. */
export const allItems = async (app: FastifyInstance): Promise<unknown> =>
  (await app.inject("/api/todos")).json();

export interface ExpectedError {
  readonly status: number;
  readonly code: string;
  /** The fields of the details, in order. */
  readonly fields?: readonly string[];
}

/** Sends a request, and expects an error in the conventional envelope and unchanged items. */
export async function expectError(
  app: FastifyInstance,
  request: InjectOptions,
  { status, code, fields }: ExpectedError,
) {
  const before = await allItems(app);
  const response = await app.inject(request);
  expect(response.json()).toEqual({
    error: {
      code,
      message: expect.stringMatching(/./),
      details: expect.any(Array),
      request_id: response.headers["x-request-id"],
    },
  });
  expect(response.statusCode).toBe(status);
  expect(response.headers["content-type"]).toMatch(/^application\/json/);
  expect(response.headers).not.toHaveProperty("etag");
  if (fields !== undefined) {
    const { details } = response.json().error;
    expect(details.map(({ field }: { field: string }) => field)).toEqual(fields);
  }
  expect(await allItems(app)).toEqual(before);
  return response;
}
