// The names of shared shapes: each becomes a component of the OpenAPI document, and so a type of generated clients.

/** The key is the name. A title changes nothing about what a schema accepts. */
export function nameSchemas(schemas: Readonly<Record<string, object>>): void {
  for (const [title, schema] of Object.entries(schemas)) Object.assign(schema, { title })
}
