import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './listen.js'

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

/** With `silent` it takes every request and never answers. */
export async function startCollector(behaviour: 'answers' | 'silent' = 'answers') {
  const spans: CollectedSpan[] = []
  const raw: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    raw.push(body)
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    if (behaviour === 'answers') response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  return {
    ...(await listen(server)),
    spans,
    raw,
    spanOf: (name: string) => {
      const [span, ...more] = spans.filter((one) => one.name === name)
      if (!span || more.length > 0)
        throw new Error(`${more.length + (span ? 1 : 0)} spans are called ${name}`)
      return span
    },
  }
}
