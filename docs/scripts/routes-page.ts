import type { DescribedGroup, DescribedRoute } from "../../src/api/description/described-route.js";
import type { RouteAccess } from "../../src/core/api-keys.js";
import { routeGroups } from "../../src/serve/routes.js";

const introduction = `# Routes

<!-- Generated from src/serve/routes.ts by \`npm run docs\`; a test compares. -->

All routes of the server, as in [the OpenAPI description](openapi.json) and \`/docs\`. Requests and answers are described in [api.md](api.md), the scopes of
keys in [keys.md](keys.md). Without keys, all routes are open. \`HEAD\` works wherever \`GET\` does.`;

const header = ["| Route | What it does | Key |", "| --- | --- | --- |"];

/** The text of docs/routes.md. */
export function routesPage(): string {
  const tags = [...new Set(routeGroups.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const groups = routeGroups.filter((group) => group.tag === tag);
    const rows = groups.flatMap((group) => group.routes.map((route) => rowOf(route, group)));
    return [`## ${tag}`, "", ...header, ...rows].join("\n");
  });
  return `${[introduction, ...sections].join("\n\n")}\n`;
}

function rowOf(
  { method, path, access, description }: DescribedRoute<never>,
  { prefix = "" }: DescribedGroup<never>,
): string {
  return `| \`${method} ${prefix}${path}\` | ${description.summary} | ${keyOf(access)} |`;
}

function keyOf({ needs }: RouteAccess): string {
  switch (needs) {
    case "nothing":
      return "none";
    case "a-key":
      return "any";
    default:
      return `\`${needs}\``;
  }
}
