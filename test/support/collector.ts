// A collector of OpenTelemetry on real HTTP: it keeps the spans that arrive as OTLP's JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly status: { readonly code?: number; readonly message?: string }
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
}

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Everything that arrived, as it came. */
  readonly raw: readonly string[]
  /** The one span of this name. */
  spanOf(name: string): CollectedSpan
}

/** With `silent` it takes every request and never answers. */
export async function startCollector(behaviour: 'answers' | 'silent' = 'answers'): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const raw: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    raw.push(text)
    for (const { scopeSpans } of JSON.parse(text).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    if (behaviour === 'answers') response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // A listening TCP server has an address with a port.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    raw,
    spanOf: (name) => {
      const [span, ...more] = spans.filter((one) => one.name === name)
      if (!span || more.length > 0)
        throw new Error(`${more.length + (span ? 1 : 0)} spans are called ${name}`)
      return span
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
