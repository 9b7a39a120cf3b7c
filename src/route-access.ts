import type { RouteAccess } from "./core/api-keys.js";

const open = { needs: "nothing" } as const;
const todos = { needs: "todos", asks: "server" } as const;
const admin = { needs: "admin", asks: "server" } as const;

/** What each route needs, by its pattern; docs/keys.md describes it. */
export const accessByRoute: Readonly<Record<string, RouteAccess>> = {
  "/": open,
  "/health": open,
  "/health/live": open,
  "/health/ready": open,
  "/openapi.json": open,
  "/openapi.yaml": open,
  "/docs": open,
  "/docs/:file": open,
  // The specification's own to-do service, whose clients send no credentials.
  "/api/todos": open,
  "/api/todos/:id": open,
  "/todos": open,
  "/todos/:id": open,

  "/v1/todos": todos,
  "/v1/todos/:id": todos,

  "/metrics": admin,
};

/** A route without a row is closed to all but the operator. */
export function accessOf(pattern: string): RouteAccess {
  return accessByRoute[pattern] ?? admin;
}
