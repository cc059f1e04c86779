// What is made of the document that Fastify's plugin collects: two parts, the public one and the operator's, each in the
// order in which its readers need it, with one component for each shape that has a name.

/** In the order of the document. */
const TAGS = [
  { name: 'billing', description: 'Plans, buying and paid time, with the token of a user of the platform.' },
  { name: 'provider', description: 'Called by Chargily Pay.' },
  { name: 'portal', description: 'What the portal shows, and the way into it.' },
  { name: 'platform', description: 'Limits and users, with a key of the platform.' },
  { name: 'operator', description: 'Payments, users and events, with a key of the operator.' },
  { name: 'operation', description: 'For load balancers and probes.' },
  { name: 'events', description: 'Sent to the platform (Standard Webhooks 1.0).' },
]

interface Operation {
  readonly tags?: readonly string[]
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>
interface Document {
  readonly info: object
  readonly paths: Paths
  readonly webhooks: Paths
  readonly components: { readonly securitySchemes: object; readonly schemas: object }
}

/** What the operator can do is of no use to users, and of some to those who look for a way in. */
export function publicPart(whole: object): object {
  return partOf(documentOf(whole), (name) => !isOperators(name))
}

/** Given behind the operator's key. */
export function operatorPart(whole: object): object {
  const { info, ...rest } = documentOf(whole)
  return partOf({ ...rest, info: { ...info, title: 'Ishtirak: operator' }, webhooks: {} }, isOperators)
}

/** The plugin types only a part of what OpenAPI 3.1 has. */
function documentOf(whole: object): Document {
  return whole as Document
}

/** Of a path, or of a security scheme. */
function isOperators(name: string): boolean {
  return name.startsWith('/api/v1/operator/') || name === 'operator'
}

function partOf(whole: Document, isWanted: (name: string) => boolean): object {
  const wanted = <Member>(members: Readonly<Record<string, Member>>) =>
    Object.entries(members).filter(([name]) => isWanted(name))
  const components = new Components(whole.components.schemas)
  const sorted = wanted(whole.paths).sort(([, one], [, other]) => placeOf(one) - placeOf(other))
  const paths = components.replaceIn(Object.fromEntries(sorted))
  const webhooks = components.replaceIn(whole.webhooks)
  const used = new Set([...sorted, ...Object.entries(whole.webhooks)].map(([, path]) => tagOf(path)))
  return {
    ...whole,
    tags: TAGS.filter(({ name }) => used.has(name)),
    paths,
    webhooks,
    components: {
      schemas: components.schemas,
      securitySchemes: Object.fromEntries(wanted({ ...whole.components.securitySchemes })),
    },
  }
}

function placeOf(path: Paths[string]): number {
  return TAGS.findIndex(({ name }) => name === tagOf(path))
}

function tagOf(path: Paths[string]): string | undefined {
  return Object.values(path)[0]?.tags?.[0]
}

class Components {
  readonly schemas: Record<string, unknown>

  constructor(schemas: object) {
    this.schemas = { ...schemas }
  }

  /** A copy in which each schema with a title is a reference. */
  replaceIn(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((member) => this.replaceIn(member))
    if (typeof value !== 'object' || value === null) return value
    const copy = Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, this.replaceIn(member)]),
    )
    // A generator that finds no type beside the values makes an `any` of them.
    if (isListOfWords(copy.enum)) copy.type ??= 'string'
    const { title, ...schema } = copy
    if (typeof title !== 'string') return copy
    this.add(title, schema)
    return { $ref: `#/components/schemas/${title}` }
  }

  private add(name: string, schema: object): void {
    const known = this.schemas[name]
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are named ${name}`)
    this.schemas[name] = schema
  }
}

function isListOfWords(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
}
