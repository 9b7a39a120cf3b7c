/**
 * Returns the script that starts Swagger UI. Swagger UI resolves the complete document before it
 * shows the first operation, which takes seconds for a document of this size. The plugin
 * `lazyDocument` shows an outline (operations without their responses) and passes excerpts to the
 * resolver: the opened part and the components that it refers to.
 */
export function buildDocsInitialiser(documentUrl: string): string {
  return String.raw`function outlineOf(text) {
  const outline = JSON.parse(text);
  for (const operations of Object.values(outline.paths)) {
    for (const operation of Object.values(operations)) delete operation.responses;
  }
  return outline;
}

function excerptOf(document, path) {
  const excerpt = { ...document, paths: {}, components: {} };
  const pending = [path[0] === "paths" ? path.slice(0, 2) : path];
  for (const keys of pending) {
    let source = document;
    let copy = excerpt;
    for (const key of keys.slice(0, -1)) {
      source = source[key];
      copy = copy[key] ??= {};
    }
    const name = keys.at(-1);
    if (copy[name] !== undefined) continue;
    copy[name] = source[name];
    const references = JSON.stringify(source[name]).matchAll(/"#\/(components)\/(\w+)\/([\w.-]+)"/g);
    for (const [, ...reference] of references) pending.push(reference);
  }
  return excerpt;
}

function lazyDocument({ fn: { resolveSubtree } }) {
  let document;
  return {
    fn: {
      resolveSubtree: (_outline, path, options) =>
        resolveSubtree(excerptOf(document, path), path, options),
    },
    statePlugins: {
      spec: {
        wrapActions: {
          parseToJson: (_parseYaml, { specActions }) => (text) => {
            document = JSON.parse(text);
            return specActions.updateJsonSpec(outlineOf(text));
          },
        },
      },
    },
  };
}

SwaggerUIBundle({
  url: ${JSON.stringify(documentUrl)},
  dom_id: "#swagger-ui",
  plugins: [lazyDocument],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  // The validator badge is loaded from another server.
  validatorUrl: null,
});
`;
}
