// Compiles the schemas of answers, each once: the same problem stands under dozens of routes, and a second service in the
// process has the same routes. Fastify alone compiles each time anew, which was two thirds of building an app.
import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler'

const buildSerializers = SerializerSelector()
const compiled = new Map<string, Serializer>()

/** For Fastify's `schemaController`. A serializer is pure: it depends on the schema and on those that it refers to. */
export const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = buildSerializers(externalSchemas, options)
  const referred = JSON.stringify(externalSchemas)
  return (route) => {
    const key = `${referred} ${JSON.stringify(route.schema)}`
    const known = compiled.get(key) ?? compile(route)
    compiled.set(key, known)
    return known
  }
}
