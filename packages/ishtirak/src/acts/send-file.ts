// How files are sent to operators and to users.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { SentFile } from './user-call.js'

/** A browser that shows the file all the same runs nothing of it. */
const HEADERS = { 'content-security-policy': "default-src 'none'; sandbox", 'cache-control': 'no-store' }

export const CSV_TYPE = 'text/csv; charset=utf-8'

/** Sends an operator a file. `type` is its Content-Type. */
export function sendFile(
  reply: FastifyReply,
  file: {
    readonly type: string
    readonly name: string
    readonly content: AsyncIterable<string | Uint8Array>
  },
): FastifyReply {
  return reply
    .type(file.type)
    .headers({ ...HEADERS, 'content-disposition': `attachment; filename="${file.name}"` })
    .send(Readable.from(file.content))
}

/** Sends a user their file: the browser shows a PDF and saves a table. */
export function sendUserFile(
  reply: FastifyReply,
  type: 'application/pdf' | 'text/csv',
  { name, content, headers }: SentFile,
): FastifyReply {
  const isShown = type === 'application/pdf'
  return reply
    .type(isShown ? type : CSV_TYPE)
    .headers({
      ...headers,
      'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${name}"`,
      'cache-control': 'private, no-store',
    })
    .send(Buffer.from(content))
}
