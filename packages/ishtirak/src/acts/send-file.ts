// How files are sent to operators and to users.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { SentFile } from './user-call.js'

/** A browser that shows the file despite `attachment` runs nothing in it. */
const SANDBOX = "default-src 'none'; sandbox"
/** Browsers do not show a PDF in a sandbox. A script in a PDF cannot reach the page around it. */
const PDF_IN_A_PAGE = "frame-ancestors 'self'"

export const CSV_TYPE = 'text/csv; charset=utf-8'

export function sendFile(
  reply: FastifyReply,
  file: {
    readonly type: string
    readonly name: string
    readonly content: AsyncIterable<string | Uint8Array>
    /** A page of the console shows it. */
    readonly isShown?: boolean
  },
): FastifyReply {
  const { type, name, content, isShown = false } = file
  return reply
    .type(type)
    .headers({
      'content-security-policy': isShown && type === 'application/pdf' ? PDF_IN_A_PAGE : SANDBOX,
      'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${name}"`,
      'cache-control': 'no-store',
    })
    .send(Readable.from(content))
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
