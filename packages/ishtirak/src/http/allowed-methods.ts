// Knows which methods each address takes, so that a known path with another method is 405 with `Allow`, not 404.
// Fastify's router answers only "this method here or nothing"; the patterns are kept beside it.
import type { FastifyInstance, FastifySchema } from 'fastify'

/** The methods of a path, in `Allow` order; empty for a path that nobody knows. */
export type AllowedMethods = (path: string) => readonly string[]

export interface KnownRoute {
  readonly method: string
  readonly url: string
  readonly schema: FastifySchema
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, hidden ones and those of plugins included. */
    knownRoutes(): readonly KnownRoute[]
  }
}

/** Listens to the routes that are added from now on, in plugins too. */
export function watchRoutes(app: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  const known: KnownRoute[] = []
  app.decorate('knownRoutes', () => known)
  app.addHook('onRoute', ({ url, method, schema = {} }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const name of [method].flat()) {
      route.methods.add(name)
      known.push({ method: name, url, schema })
    }
    routes.set(url, route)
  })
  return (path) => {
    const matching = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** `/users/:id/limits/*` as an expression. Of Fastify's patterns we use names and a star, never expressions. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
