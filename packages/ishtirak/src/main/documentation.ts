// The documentation that the service serves: the OpenAPI 3.1 document, made from the schemas that check
// requests, a page to try it on, and the page of error codes. The operator's part is not public.
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { type Capability, eventsOf } from '../acts/capability.js'
import type { Catalogue } from '../core/plan.js'
import { describeWebhooks } from '../events/schemas.js'
import type { CallerChecks, Callers } from '../http/callers.js'
import { errorPage } from '../http/error-page.js'
import { VERSION } from '../runtime/package.js'
import { type DocumentsPageOptions, documentsPage } from './documents-page.js'

const BEARER = { type: 'http', scheme: 'bearer' } as const

interface DocumentOptions {
  readonly publicUrl: string
  readonly plans: Catalogue
  readonly capabilities: readonly Pick<Capability, 'events' | 'notices'>[]
}

export function installDocumentation(
  app: FastifyInstance,
  options: DocumentsPageOptions &
    DocumentOptions & { readonly limitAnonymous?: CallerChecks['limitAnonymous'] },
): void {
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    options.limitAnonymous?.(request, reply)
  // Made once: no route is added after the start.
  let made: Promise<object> | undefined
  const hidden = { schema: { hide: true }, onRequest }
  documentsPage(app, hidden, options)
  app.get('/openapi.json', hidden, () => {
    made ??= documentOf(app, options, 'public')
    return made
  })
  app.get('/docs/errors', hidden, (_request, reply) =>
    reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(errorPage()),
  )
}

/** The operators' part of the document, for callers with one of their keys. */
export function operatorDocumentation(options: DocumentOptions & { readonly operators: Callers<object> }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', options.operators.onRequest)
    let made: Promise<object> | undefined
    app.get('/openapi-operator.json', { schema: { hide: true } }, () => {
      made ??= documentOf(app, options, 'operator')
      return made
    })
  }
}

/** The page has one style sheet inside and nothing that runs. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Sorted as the document is. */
const TAGS = [
  { name: 'billing', description: 'Plans, buying and paid time, with the token of a user of the platform.' },
  { name: 'provider', description: 'Called by Chargily Pay.' },
  { name: 'portal', description: 'The content of the portal, and sign-in to it.' },
  { name: 'platform', description: 'Limits and users, with a key of the platform.' },
  { name: 'operator', description: 'Payments, users and events, with a key of the operator.' },
  { name: 'operation', description: 'Load balancers and probes use these.' },
  { name: 'events', description: 'Sent to the platform (Standard Webhooks 1.0).' },
]

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly tags?: readonly string[] }>>>>
interface Document {
  readonly info: object
  readonly paths: Paths
  readonly webhooks: Paths
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly schemas: object
  }
}

/** Users have no use for the operator's part, and attackers would have one. */
async function documentOf(
  app: FastifyInstance,
  options: DocumentOptions,
  part: 'public' | 'operator',
): Promise<object> {
  // Only a reader of the document needs it, so no start loads it.
  const { withExamples } = await import('./examples.js')
  const document = await describeRoutes(app, options)
  // The plugin types only a part of what OpenAPI 3.1 has.
  const whole = document as Document
  const isOperators = (name: string) => name === 'operator' || name.startsWith('/api/v1/operator/')
  const wanted = <Member>(members: Readonly<Record<string, Member>>) =>
    Object.entries(members).filter(([name]) => isOperators(name) === (part === 'operator'))
  const sorted = wanted(whole.paths).sort(([, one], [, other]) => rankOf(one) - rankOf(other))
  const sent = part === 'public' ? whole.webhooks : {}
  const schemas: Record<string, unknown> = { ...whole.components.schemas }
  const paths = withReferences(Object.fromEntries(sorted), schemas)
  const webhooks = withReferences(sent, schemas)
  const used = new Set([...sorted, ...Object.entries(sent)].map(([, path]) => tagOf(path)))
  const securitySchemes = Object.fromEntries(wanted(whole.components.securitySchemes))
  return {
    ...whole,
    info: part === 'public' ? whole.info : { ...whole.info, title: 'Ishtirak: operator' },
    tags: TAGS.filter(({ name }) => used.has(name)),
    paths: withExamples(paths, schemas),
    webhooks: withExamples(webhooks, schemas),
    components: { schemas, securitySchemes },
  }
}

/** No request comes, and to compile all schemas would take seconds. */
const NOT_COMPILED = { validatorCompiler: () => () => true, serializerCompiler: () => JSON.stringify }

/** The plugin sees the routes in an app of their own: as a part of ours it took a 30th of each start. */
async function describeRoutes(
  app: FastifyInstance,
  { publicUrl, plans, capabilities }: DocumentOptions,
): Promise<object> {
  const { fastifySwagger } = await import('@fastify/swagger')
  const described = fastify({ exposeHeadRoutes: false })
  described.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ishtirak',
        version: VERSION,
        description:
          'Billing for a hosting platform. Every error is RFC 9457 problem details with one of ' +
          `[these codes](${publicUrl}/docs/errors).`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      webhooks: describeWebhooks(
        eventsOf(capabilities),
        plans.limits,
        capabilities.flatMap(({ notices }) => (notices ? [notices] : [])),
      ),
      components: {
        securitySchemes: {
          user: { ...BEARER, bearerFormat: 'JWT', description: 'A token of the platform’s user.' },
          platform: { ...BEARER, description: 'One of PLATFORM_API_KEYS.' },
          operator: { ...BEARER, description: 'One of OPERATOR_KEYS.' },
          signature: {
            type: 'apiKey',
            in: 'header',
            name: 'signature',
            description: 'HMAC-SHA256 of the body, hex.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema-${index}`),
    },
  })
  described.register(async (part) => {
    for (const schema of Object.values(app.getSchemas())) part.addSchema(schema)
    for (const { method, url, schema } of app.knownRoutes())
      if (method !== 'HEAD') part.route({ method, url, schema, ...NOT_COMPILED, handler: () => undefined })
  })
  await described.ready()
  return described.swagger()
}

const tagOf = (path: Paths[string]) => Object.values(path)[0]?.tags?.[0]
const rankOf = (path: Paths[string]) => TAGS.findIndex(({ name }) => name === tagOf(path))

/** A copy in which each schema with a title is a reference to a component; adds those to `components`. */
function withReferences(value: unknown, components: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((member) => withReferences(member, components))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const copy = Object.fromEntries(entries.map(([key, member]) => [key, withReferences(member, components)]))
  // A generator that finds no type beside the values makes an `any` of them.
  if (Array.isArray(copy.enum) && copy.enum.every((one) => typeof one === 'string')) copy.type ??= 'string'
  const { title, ...schema } = copy
  if (typeof title !== 'string') return copy
  const known = components[title]
  if (known && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`two schemas are named ${title}`)
  components[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}
