// The documents that the service gives of itself: what the linter of the field finds, and the names that
// generated clients take from them.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { emptyDatabase } from '../support/databases.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { createWorld } from '../support/world.js'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}
interface Document {
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const documents: Record<string, Document> = {}
const documentAt = (address: string) => documents[address] as Document
const operationsOf = ({ paths }: Pick<Document, 'paths'>) =>
  Object.values(paths).flatMap(Object.values<Operation>)

const world = await createWorld(await emptyDatabase('pglite'))
beforeAll(async () => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
  for (const address of ['/openapi.json', '/openapi-operator.json'])
    documents[address] = (await world.call('GET', address, { headers })).body
})
afterAll(() => world.stop())

describe('each document', () => {
  it('gives the linter no error by its recommended rules', async () => {
    const folder = temporaryFolder()
    const files = Object.keys(documents).map((address) => path.join(folder, path.basename(address)))
    for (const [index, document] of Object.values(documents).entries())
      await writeFile(files[index] ?? '', JSON.stringify(document))
    const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
    // It reports to no server and looks for no newer version.
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const lint = [cli, 'lint', '--extends', 'recommended', ...files]
    const said = await promisify(execFile)(process.execPath, lint, { env, cwd: folder }).catch(String)
    expect(said).toMatchObject({ stdout: expect.any(String) })
  })

  it('has our name and version, and each operation has its name, its callers and its answers', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    for (const document of Object.values(documents)) {
      expect(document.info).toMatchObject({ title: expect.stringMatching(/^Ishtirak/), version })
      const tags = document.tags.map(({ name }) => name)
      const wrong = [...operationsOf(document), ...operationsOf({ paths: document.webhooks })].filter(
        ({ operationId, security, tags: [tag = ''], responses }) =>
          !/^[a-z][A-Za-z]+$/.test(operationId) ||
          !Array.isArray(security) ||
          !tags.includes(tag) ||
          Object.values(responses).some(({ description = '' }) => /^(Default Response)?$/.test(description)),
      )
      expect(wrong).toEqual([])
    }
  })

  it('has an example of what each operation asks and answers, which fits its schema', () => {
    for (const document of Object.values(documents)) {
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      ajv.addSchema(document, 'document')
      const wrong = [...examplesIn(document)].filter(({ schema, example }) => {
        const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
        return !ajv.validate(JSON.parse(text), example)
      })
      expect(wrong).toEqual([])
    }
  })

  it('has examples that belong together: what is sent, and what that is answered', async () => {
    await using world = await createWorld(await emptyDatabase('pglite'), { env: { BALANCE_MAX: '9000' } })
    const { body: document } = await world.call('GET', '/openapi.json')
    const { paths } = document
    const operation = (method: string, path: string) => paths[`/api/v1/billing/${path}`][method]
    const exampleIn = ({ content }: { content: object }) => Object(content)['application/json'].example
    const asked = (...of: [string, string]) => exampleIn(operation(...of).requestBody)
    const answered = (...of: [string, string]) => {
      const { responses } = operation(...of)
      return exampleIn(responses[200] ?? responses[201])
    }
    expect(answered('get', 'quote')).toMatchObject({ months: 1, price: 2000, discount: 200, amount: 1800 })
    expect(answered('post', 'balance/top-ups')).toMatchObject({
      ...asked('post', 'balance/top-ups'),
      ...{ kind: 'top_up', plan: null },
    })
    expect(answered('delete', 'balance/renewal').renewal).toBeNull()
    expect(answered('put', 'buyer')).toMatchObject(asked('put', 'buyer'))
    expect(asked('put', 'buyer')).toHaveProperty('nif')
    expect(answered('post', 'payments/{payment_id}/invoice')).toMatchObject({ kind: 'invoice' })
    expect(answered('post', 'proformas/{number}/payments')).toMatchObject({ method: 'transfer', months: 12 })
    const paymentNow = { status: 'pending', payment_method: null }
    expect(answered('get', 'payments/{payment_id}')).toMatchObject(paymentNow)
    for (const [path, type] of [
      ['payments/{payment_id}/proof', 'application/octet-stream'],
      ['webhook', 'application/json'],
    ] as const) {
      const { put, post = put } = paths[`/api/v1/billing/${path}`]
      expect(Object.keys(post.requestBody.content)).toEqual([type])
    }
    const { renewal, current_period_end: end } = answered('get', 'overview')
    expect(renewal.would_start).toBe(end)
    const changes = [...examplesIn(document)].flatMap(({ example }) => Object(example).data?.change ?? [])
    expect(new Set(changes.map(({ at, until }) => at < until))).toEqual(new Set([true]))
    expect(JSON.stringify(documents)).not.toMatch(/x-example|x-body/)
  })

  it('writes no shape twice: what is shared is a component', () => {
    for (const document of Object.values(documents)) {
      const shapes = [...shapesIn(document)]
      expect(shapes.filter((shape, place) => shapes.indexOf(shape) !== place)).toEqual([])
    }
  })
})

describe('the documents', () => {
  it('have each call of a user for the platform too, which asks the same and gets the same', () => {
    const { paths } = documentAt('/openapi.json')
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    const ofUsers = all.filter(({ operation }) => 'user' in Object(operation.security[0]))
    expect(ofUsers.length).toBe(22)
    for (const { path, method, operation } of ofUsers) {
      const twin = paths[path.replace('/billing/', '/platform/users/{user_id}/')]?.[method]
      const operationId = `${operation.operationId}ForUser`
      expect(twin).toMatchObject({ operationId, tags: ['platform'], security: [{ platform: [] }] })
      const [its, ours] = [asUsersSee(shapesOf(twin)), shapesOf(operation)]
      expect(its.body).toEqual(ours.body)
      expect(its.success).toEqual(ours.success)
      expect(its.statuses).toEqual(expect.arrayContaining([...ours.statuses, '401', '404', '422']))
      const who = method === 'get' ? [] : ['ishtirak-person', 'ishtirak-billing-role']
      expect(its.parameters.toSorted()).toEqual(['user_id', ...who, ...ours.parameters].toSorted())
    }
  })

  it('give no two operations the same name, so that one client can be made of both', () => {
    const names = Object.values(documents).flatMap((document) =>
      operationsOf(document).map(({ operationId }) => operationId),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBe(186)
  })
})

/** But for the metadata of payments, which the platform alone sets and reads. */
function asUsersSee(shapes: ReturnType<typeof shapesOf>): typeof shapes {
  const text = JSON.stringify(shapes).replace(/(?<=schemas\/)Platform(?=Payment|TopUp)/g, '')
  return JSON.parse(text, (name, value) => (name === 'metadata' ? undefined : value))
}

function shapesOf(operation: unknown) {
  const { requestBody, responses, parameters = [] } = Object(operation)
  return {
    body: requestBody,
    success: Object.entries(responses).filter(([status]) => status < '300'),
    statuses: Object.keys(responses),
    parameters: parameters.map(({ name }: { name: string }): string => name) as string[],
  }
}

interface Shown {
  readonly schema: object
  /** Undefined where there is none, which fits no schema. */
  readonly example?: unknown
}

function* examplesIn({ paths, webhooks }: Document): Generator<Shown> {
  for (const operation of [...operationsOf({ paths }), ...operationsOf({ paths: webhooks })]) {
    const { parameters = [], requestBody, responses } = Object(operation)
    yield* parameters.filter(({ required }: { readonly required: boolean }) => required)
    const answers = Object.entries(responses).flatMap(([status, answer]) => (status < '3' ? [answer] : []))
    for (const { content } of [requestBody, ...answers].map(Object))
      if (content?.['application/json']) yield content['application/json']
  }
}

function* shapesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  if ('properties' in value && 'type' in value && value.type === 'object') yield JSON.stringify(value)
  for (const member of Object.values(value)) yield* shapesIn(member)
}
