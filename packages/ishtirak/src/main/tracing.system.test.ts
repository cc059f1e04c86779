import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { dropPostgres, emptyPostgresUrl } from '../../../../test/support/databases.js'
import { type Listening, listen } from '../../../../test/support/listen.js'
import { CHARGILY_KEY } from '../../../../test/support/world.js'
import { createIshtirak, type Ishtirak } from './create-ishtirak.js'

/** Works like the manager of @opentelemetry/context-async-hooks. */
function asyncContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...given) => storage.run(active, () => work.apply(self as never, given)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const host = provider.getTracer('host')

let databaseUrl: string
beforeAll(async () => {
  databaseUrl = await emptyPostgresUrl()
})
afterAll(() => dropPostgres(databaseUrl))

/** It takes no order, and keeps the headers of what it was asked. */
let chargily: Listening
let asked: IncomingHttpHeaders[]
let ishtirak: Ishtirak
beforeEach(async () => {
  exporter.reset()
  asked = []
  const server = createServer(({ headers }, response) => {
    asked.push(headers)
    response.writeHead(422, { 'content-type': 'application/json' }).end('{}')
  })
  chargily = await listen(server)
  ishtirak = await createIshtirak({
    database: { url: databaseUrl, maxConnections: 2 },
    config: {
      PUBLIC_URL: 'http://platform.localhost/billing',
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      CHARGILY_API_URL: chargily.url,
      LOG_LEVEL: 'error',
    },
    identify: () => ({ userId: 'amine' }),
    traces: true,
  })
  await ishtirak.migrate()
})
afterEach(async () => {
  trace.disable()
  context.disable()
  await ishtirak.stop()
  await chargily[Symbol.asyncDispose]()
})

const upgrade = (headers = {}) =>
  ishtirak.fetch(
    new Request('http://platform.localhost/billing/api/v1/billing/upgrade', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"plan":"pro"}',
    }),
  )
const spanOf = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name)

it('a request stands below the host’s span, and what it does below the request', async () => {
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(asyncContexts())
  const above = host.startSpan('host')
  const answer = await context.with(trace.setSpan(ROOT_CONTEXT, above), () => upgrade())
  expect(answer.status).toBe(502)
  const [click, checkout] = [spanOf('POST /api/v1/billing/upgrade'), spanOf('POST chargily')]
  expect(click?.parentSpanContext).toMatchObject(above.spanContext())
  expect(checkout?.parentSpanContext).toMatchObject({ ...click?.spanContext() })
  const { traceId, spanId } = { ...checkout?.spanContext() }
  expect(asked.map(({ traceparent }) => traceparent)).toEqual([`00-${traceId}-${spanId}-01`])
})

it('where the host records no requests, it stands below the caller’s traceparent', async () => {
  // The host has registered no provider yet: nothing is sent along.
  expect((await upgrade()).status).toBe(502)
  expect(asked.map(({ traceparent }) => traceparent)).toEqual([undefined])
  trace.setGlobalTracerProvider(provider)
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  expect((await upgrade({ traceparent: `00-${traceId}-${spanId}-01` })).status).toBe(502)
  expect(spanOf('POST /api/v1/billing/upgrade')?.parentSpanContext).toMatchObject({ traceId, spanId })
})
