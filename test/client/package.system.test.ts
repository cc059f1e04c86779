// What is shipped: `@ishtirak/client` as another program imports it, compiled, with its types.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const root = path.resolve(import.meta.dirname, '../..')
let folder: string
beforeAll(() => {
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--if-stale'])
  // Inside the package, so that its own name leads to its exports as for anyone who installed it.
  folder = mkdtempSync(path.join(root, 'node_modules/.cache/ishtirak-client-'))
  writeFileSync(path.join(folder, 'consumer.ts'), CONSUMER)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CONSUMER = `
  import { type BillingEvent, createClient } from '@ishtirak/client'
  import { eventHandler } from '@ishtirak/client/events'
  const client = createClient({ url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open' })
  export async function deploy(): Promise<number> {
    const answer = await client.consume('user-1', 'deploys_per_day', { operation_id: 'd-1' })
    return answer.source === 'policy' ? 0 : answer.remaining
  }
  export function amountOf(event: BillingEvent): number | undefined {
    return event.type === 'payment.paid' ? event.data.payment.amount : undefined
  }
  export const receive: (request: Request) => Promise<Response> = eventHandler({ secrets: 'whsec_AAAA',
    on: { 'subscription.granted': async ({ data }) => console.log(data.grant.months) },
  })
  // @ts-expect-error a payment has no grant
  eventHandler({ secrets: [], on: { 'payment.paid': ({ data }) => data.grant.months } })
  // @ts-expect-error there is no such limit
  client.consume('user-1', 'deploys', { operation_id: 'd-1' })
  const options = { url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open' } as const
  const own = createClient<'build_minutes'>(options)
  own.consume('user-1', 'build_minutes', { operation_id: 'd-1', scope_id: 'eu-1' })
  // @ts-expect-error an operation needs its id
  client.consume('user-1', 'projects', {})
`

it('runs in plain Node as both kinds of module, with nothing beside it', () => {
  const script = `
    import { createClient, verifyEvent } from '@ishtirak/client'
    const client = createClient({ url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open' })
    const { allowed, source } = await client.consume('user-1', 'projects', { operation_id: 'p-1' })
    const require = process.getBuiltinModule('module').createRequire(process.cwd() + '/x')
    const { eventHandler } = require('@ishtirak/client/events')
    const { status } = await eventHandler({ secrets: 'whsec_AAAA', on: {} })(new Request('http://a.b/'))
    console.log(allowed, source, client.verifyEvent === verifyEvent, status)`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(output).toBe('true policy true 405\n')
})

it('has types that another strict program compiles with, and that refuse what the API would', () => {
  const program = ts.createProgram([path.join(folder, 'consumer.ts')], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
    skipLibCheck: true,
  })
  const problems = ts.getPreEmitDiagnostics(program)
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
})
