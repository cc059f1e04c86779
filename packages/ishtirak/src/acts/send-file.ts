// A file for operators: no cache keeps it, and a browser that shows it after all runs nothing of it.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

const HEADERS = { 'content-security-policy': "default-src 'none'; sandbox", 'cache-control': 'no-store' }

export const CSV_TYPE = 'text/csv; charset=utf-8'

/** `type` is its Content-Type. */
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
