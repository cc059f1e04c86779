// Types are made from the OpenAPI document by openapi-typescript, methods from the calls of users and from
// the readings of the platform.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import openapi, { astToString } from 'openapi-typescript'
import type { TypeElement } from 'typescript'
import type { Reading } from '../packages/ishtirak/src/acts/reading.js'
import type { UserCall } from '../packages/ishtirak/src/acts/user-call.js'
import type { Operation, Schema } from '../packages/ishtirak/src/main/examples.js'

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, unknown>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const HEADER = `// Made from the OpenAPI document and the calls of the service by test/client/api.test.ts:
// \`npx vitest run --project quick test/client/api.test.ts -u\` writes it. Do not edit it.
`

/** Shapes that have another name in the client. */
const RENAMED: Readonly<Record<string, string>> = { User: 'PlatformUser', BuyerRequest: 'BuyerDetails' }
/** Other names for the queries of calls than `PaymentsQuery`: they have none in the document. */
const QUERIES: Readonly<Record<string, string>> = {
  proforma: 'ProformaRequest',
  receipt: 'PdfRequest',
  document: 'PdfRequest',
  printProforma: 'PdfRequest',
  documents: 'DocumentsRequest',
}

export async function clientSource(
  document: Document,
  calls: readonly UserCall<never>[],
  readings: readonly Reading[],
): Promise<string> {
  const components = document.components.schemas
  const ofUsers = calls.map((call) => methodOf(call, operationOf(document, call), ['userId: string']))
  const lists = readings.map(listOf)
  const ofAll = lists.map((list) => methodOf(list, operationOf(document, list), []))
  const methods = [...ofUsers, ...ofAll]
  const eventData = eventDataIn(components)
  const schemas = openSchemas({
    ...components,
    ...Object.fromEntries(methods.flatMap(({ query }) => (query ? [query] : []))),
    EventData: eventData,
  })
  const isUsed = (name: string) => methods.some(({ signature }) => RegExp(`\\b${name}\\b`).test(signature))
  const used = closure(schemas, [...Object.keys(schemas).filter(isUsed), 'Plan', 'Offer'])
  const events = eventsIn(document)
  const notices = events.flatMap(({ name, isOfUser }) => (isOfUser ? [] : [name]))
  // Several handlers may share an event, so none of them may change it.
  const received = closure(schemas, ['EventData', ...notices])
  const texts = { ...(await typesOf(received, true)), ...(await typesOf(used, false)) }
  const ofAUser = events.filter(({ isOfUser }) => isOfUser)
  const causes = ofAUser.map(({ type, required }) => {
    const own = required.filter((name) => !eventData.required?.includes(name))
    return `  '${type}': ${unionOf(own) || 'never'}`
  })
  return formatted(
    [
      HEADER,
      ...Object.keys(schemas).flatMap((name) => texts[name] ?? []),
      `/** The limits of the service’s default catalogue. PLANS_FILE may have others. */`,
      `export type LimitName = ${unionOf(Object.keys(components.PlanLimits?.properties ?? {}))}\n`,
      `export type EventType = ${unionOf(ofAUser.map(({ type }) => type))}\n`,
      `/** The members of \`data\` that the events of a type always have, beside the state. */`,
      `export interface EventCauses {\n${causes.join('\n')}\n}\n`,
      ...interfaceOf('UserOrders', 'The orders for an account.', ofUsers, true),
      ...interfaceOf('UserCalls', 'The readings, and the calls of the platform alone.', ofUsers, false),
      ...interfaceOf('PlatformLists', 'The readings of all users.', ofAll, false),
      tableOf(calls),
      `/** Below the address of the platform’s part. */`,
      `export const LISTS = {${lists.map(({ name, path: below }) => `${name}: '${below}'`)}} as const\n`,
    ].join('\n'),
  )
}

const unionOf = (names: readonly string[]) => names.map((name) => `'${name}'`).join(' | ')

/** The reading as a call that names no user. */
function listOf({ operationId, path: below, query: input, answer }: Reading): UserCall<never> {
  const name = operationId.replace('ForPlatform', '')
  const list = { name, operationId, path: below, input, answer, method: 'GET', byPlatform: true }
  return list as unknown as UserCall<never>
}

function operationOf({ paths }: Document, { operationId, byPlatform }: UserCall<never>): Operation {
  const wanted = byPlatform ? operationId : `${operationId}ForUser`
  const all = Object.values(paths).flatMap(Object.values<Operation>)
  const operation = all.find((one) => one.operationId === wanted)
  if (!operation) throw new Error(`${wanted} is not in the document`)
  return operation
}

interface Method {
  readonly isOrder: boolean
  readonly said: string
  readonly signature: string
  readonly query: readonly [string, Schema] | null
}

function methodOf(call: UserCall<never>, operation: Operation, user: readonly string[]): Method {
  const query = queryOf(call, operation)
  const params = [...call.path.matchAll(/:(\w+)/g)].map(([, name]) => `${camelCased(String(name))}: string`)
  const given = [...user, ...params, inputOf(call, operation, query)].filter(Boolean).join(', ')
  const { summary, description } = operation
  return {
    isOrder: call.method !== 'GET' && !call.byPlatform,
    said: description === undefined ? summary : `${summary}. ${description}`,
    signature: `${call.name}(${given}): Promise<${answerOf(call, operation)}>`,
    query,
  }
}

function queryOf({ name, method, input }: UserCall<never>, { parameters = [] }: Operation): Method['query'] {
  const members = parameters.filter((parameter) => parameter.in === 'query')
  if (method !== 'GET' || input === undefined) return null
  const properties = Object.fromEntries(
    members.map(({ name: key, description, schema }) => [
      key,
      description === undefined ? schema : { ...schema, description },
    ]),
  )
  const required = members.filter((member) => member.required).map((member) => member.name)
  return [QUERIES[name] ?? camelCased(`_${name}Query`), { type: 'object', properties, required }]
}

function inputOf({ input }: UserCall<never>, { requestBody }: Operation, query: Method['query']): string {
  if (input === 'file') return 'file: Uint8Array<ArrayBuffer> | Blob'
  if (query) return `query${query[1].required?.length === 0 ? '?' : ''}: ${query[0]}`
  const schema = requestBody?.content['application/json']?.schema
  const isOptional = schema?.anyOf?.some(({ type }) => type === 'null')
  return schema ? `request${isOptional ? '?' : ''}: ${nameIn(schema.anyOf?.[0] ?? schema)}` : ''
}

function answerOf({ list }: UserCall<never>, { responses }: Operation): string {
  const json = (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema
  if (!json) return 'Uint8Array<ArrayBuffer>'
  return list === undefined ? nameIn(json) : `${nameIn(json)}['${list}']`
}

const nameIn = ({ $ref = '' }: Schema) => renamed($ref.slice($ref.lastIndexOf('/') + 1))
const renamed = (name: string) => RENAMED[name] ?? name
const camelCased = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The members of all kinds of events. A member is required if each kind has it. */
function eventDataIn(schemas: Document['components']['schemas']): Schema {
  const kinds = Object.entries(schemas).flatMap(([name, schema]) => (/EventData$/.test(name) ? [schema] : []))
  const properties = Object.assign({}, ...kinds.map((kind) => kind.properties))
  const required = Object.keys(properties).filter((name) =>
    kinds.every((kind) => kind.required?.includes(name)),
  )
  return { type: 'object', properties, required }
}

/** The events by type: the name of the shape, and the members that `data` always has. */
function eventsIn({ webhooks, components: { schemas } }: Document) {
  return Object.keys(webhooks).map((type) => {
    const name = `${camelCased(`_${type.replace('.', '_')}`)}Event`
    const data = nameIn(schemas[name]?.properties?.data ?? {})
    const { required = [] } = schemas[data] ?? {}
    return { type, name, required, isOfUser: data.endsWith('EventData') }
  })
}

const SCOPE = { description: 'Only, and always, for limits that are counted for each of something else' }

/** Opens schemas to the answers of a service with another catalogue or a later version. */
function openSchemas(schemas: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
  const opened = (name: string, { properties = {}, ...schema }: Schema): Schema => {
    const { project_id } = properties
    const scoped = { ...properties, ...(project_id && { scope_id: { ...project_id, ...SCOPE } }) }
    const number = { type: 'integer' }
    const numbers = { type: 'object', additionalProperties: number }
    const text = { type: 'string' }
    if (name === 'PlanLimits') return { ...schema, properties, additionalProperties: number }
    if (name === 'Usage') return { ...schema, properties, additionalProperties: { anyOf: [number, numbers] } }
    if (name === 'OverLimit') return { ...schema, properties: { ...scoped, limit: text } }
    if (name === 'EventSubscription')
      return { ...schema, properties: { ...properties, status: text, limits: numbers } }
    if (name === 'EventPayment')
      return { ...schema, properties: { ...properties, status: text, method: text } }
    const { resets_at, usage } = properties
    const month = resets_at && usage ? { month_resets_at: resets_at } : {}
    return { ...schema, ...(schema.type === 'object' && { properties: { ...scoped, ...month } }) }
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [renamed(name), described(opened(name, schema))]),
  )
}

/** Moves the description of a nullable value to its member, and renames references. */
function described<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(described) as Value
  if (typeof value !== 'object' || value === null) return value
  const { anyOf, description = anyOf?.[0]?.description, ...schema } = value as Schema
  const entries = Object.entries(schema).map(([key, member]) => [
    key,
    key === '$ref' ? `#/components/schemas/${nameIn(schema)}` : described(member),
  ])
  const { examples: _, ...copy } = Object.fromEntries(entries)
  return {
    ...copy,
    ...(anyOf && { anyOf: described(anyOf) }),
    ...(typeof description === 'string' && { description }),
  } as Value
}

function closure(schemas: Readonly<Record<string, Schema>>, names: readonly string[]) {
  const used = new Set<string>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as Schema
    if (typeof $ref === 'string') add(nameIn({ $ref }))
    Object.values(value).forEach(visit)
  }
  const add = (name: string) => {
    if (used.has(name)) return
    used.add(name)
    visit(schemas[name])
  }
  names.forEach(add)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

async function typesOf(schemas: object, immutable: boolean): Promise<Readonly<Record<string, string>>> {
  const document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas } }
  const options = { silent: true, defaultNonNullable: false, immutable }
  const nodes = await openapi(JSON.stringify(document), options)
  const { members } = Object(nodes.find((node) => Object(node).name?.text === 'components'))
  return Object.fromEntries(members[0].type.members.map(typeOf))
}

/** A member of the schemas as a type of its own. */
function typeOf(member: TypeElement): readonly [string, string] {
  const name = Object(member.name).text
  const text = astToString(member)
    .replace(/components\["schemas"\]\["(\w+)"\]/g, '$1')
    .replace(/^( *)\/\*\*([\s\S]*?)\*\/\n?/gm, (_, indent: string, said: string) => {
      const words = said.replace(/^\s*\* ?/gm, '').replace(/@(enum|example|constant|default)\b.*/g, '')
      return comment(words.replace('@description', '').replace(/\s+/g, ' ').trim(), indent.length)
    })
  return [name, text.replace(RegExp(`^(readonly )?${name}: `, 'm'), `export type ${name} = `)]
}

function interfaceOf(name: string, said: string, methods: readonly Method[], isOrder: boolean) {
  const own = methods.flatMap((method) =>
    method.isOrder === isOrder ? [`${comment(method.said, 2)}  ${method.signature}`] : [],
  )
  return [`${comment(said, 0)}export interface ${name} {`, ...own, '}\n']
}

function tableOf(calls: readonly UserCall<never>[]): string {
  const entries = calls.map((call) => {
    const { name, method, path: below, list, input, answer } = call
    const parts = { method, path: below, ...(list !== undefined && { list }) }
    const files = { ...('file' in answer && { gives: 'file' }), ...(input === 'file' && { takes: 'file' }) }
    return `  ${name}: ${JSON.stringify({ ...parts, ...files })},`
  })
  return `/** Below the address of the user. */\nexport const CALLS = {\n${entries.join('\n')}\n} as const\n`
}

function comment(said: string, indent: number): string {
  if (said === '') return ''
  const margin = ' '.repeat(indent)
  const lines = ['']
  for (const word of said.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length > 100 - indent) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  if (lines.length === 1) return `${margin}/** ${lines[0]} */\n`
  return `${margin}/**\n${lines.map((line) => `${margin} * ${line}\n`).join('')}${margin} */\n`
}

function formatted(source: string): string {
  const root = path.resolve(import.meta.dirname, '..')
  const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome')
  const file = path.join(root, 'packages/client/src/api.ts')
  const options = { cwd: root, input: source, encoding: 'utf8' } as const
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${file}`], options)
}
