// What operators read of the sealed books.
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import { recordAct } from '../acts/audit.sql.js'
import { allPages } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { sendFile } from '../acts/send-file.js'
import { receiptNumber } from '../core/receipt.js'
import type { Permission } from '../core/role.js'
import { nullable, object, query } from '../http/schemas.js'
import { type SealHead, sealedLines } from './seals.sql.js'
import type { Entry } from './verify.sql.js'
import { type VerifyDeps, verifyBooks } from './verify-books.js'

const VERIFY = { name: 'books.verify', roles: ['accountant'] } as const satisfies Permission
const EXPORT = { name: 'books.export', roles: ['accountant'] } as const satisfies Permission

/** 100,000 heads: those of 270 years. */
const HEADS_BYTES_MAX = 8 * 1024 * 1024
const SIGN_OF_LIFE_MS = 1_000

const VerifiedBooksSchema = object('VerifiedBooks', {
  position: Type.Integer({ description: 'The last seal; where one does not fit, the last one that fits' }),
  hash: Type.String({ description: 'Its hash; empty where nothing is sealed' }),
  found: nullable(
    object('BrokenSeal', {
      what: Type.Enum(['changed', 'removed', 'inserted', 'moved', 'cut', 'resealed'], {
        description:
          'What became of the entry. `cut`: a head is missing, so what was sealed last was removed, or an ' +
          'older backup was restored. `resealed`: the chain up to here is another one than that of a head',
      }),
      position: nullable(Type.Integer({ description: 'Of its seal' })),
      kind: nullable(Type.Enum(['document', 'balance_entry', 'act'])),
      entry: nullable(
        Type.String({
          description: 'The number of the document, the user and sequence of the balance entry, or the act',
          examples: ['2026-000042', 'user-1 3', 'act_01jd7k3v9m4w8x2z5c6b7n8q9r'],
        }),
      ),
    }),
  ),
})

export const verifyBooksReading = reading<VerifyDeps>()({
  ...VERIFY,
  method: 'POST',
  path: '/books/verification',
  takes: { mostBytes: HEADS_BYTES_MAX },
  operationId: 'verifyBooks',
  summary: 'Check documents, balance entries and the audit trail against their seals',
  description:
    'The body may hold heads that were sent out, a line each: the position, a space, the hash. What stands ' +
    'behind them in a line is ignored. The first entry that was changed, removed, inserted or moved is ' +
    'named.',
  refuses: ['payload_too_large', 'request_timeout'],
  answer: VerifiedBooksSchema,
  // `addVerifyCommand` reads the file and sends it.
  command: null,
  read: (deps, { file, reply }) =>
    reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(whileAwaited(verified(deps, headsIn(file.toString()))))),
})

async function verified(deps: VerifyDeps, heads: readonly SealHead[]) {
  const { head, found } = await verifyBooks(deps, heads)
  if (!found) return { ...head, found: null }
  const { what, position, entry } = found
  return { ...head, found: { what, position, kind: entry?.kind ?? null, entry: entry && nameOf(entry) } }
}

/**
 * An answer as JSON that may take minutes: a million entries take eleven seconds. It begins within the time
 * that every answer has, and spaces show that the work goes on; JSON may begin with them. If the work fails
 * after the first space, the connection is closed in the middle of the answer, which callers see as an error.
 */
async function* whileAwaited(work: Promise<object>): AsyncGenerator<string> {
  const answer = work.then((value) => JSON.stringify(value))
  for (;;) {
    const ended = await Promise.race([answer, setTimeout(SIGN_OF_LIFE_MS, ' ', { ref: false })])
    yield ended
    if (ended !== ' ') return
  }
}

// Blanks end with their line: if they went on, a file of blank lines would be read anew from each of them.
const HEAD = /^[ \t\uFEFF]*(\d{1,15}) ([0-9a-f]{64})\b/gm

/** What a line has beside them is ignored. A mail that was saved as it came breaks long lines by `=`. */
export function headsIn(text: string) {
  return [...text.replace(/=\r?\n/g, '').matchAll(HEAD)].map(([, position, hash]) => ({
    position: Number(position),
    hash: String(hash),
  }))
}

function nameOf({ kind, series, number, actId }: Entry): string {
  if (kind === 'document') return receiptNumber(series, number)
  return kind === 'act' ? actId : `${series} ${number}`
}

export const exportSeals = reading<VerifyDeps>()({
  ...EXPORT,
  path: '/books/seals',
  operationId: 'exportSeals',
  summary: 'The sealed books as text: in each line position, hash and content, to be checked with sha256sum',
  query: query({
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1e15, description: 'Only what is sealed behind this position' }),
    ),
  }),
  answer: {
    description: 'UTF-8; personal data',
    content: { 'text/plain': { schema: Type.Unsafe<string>({ type: 'string' }) } },
  },
  command: { usage: 'books export', isFile: 'new' },
  read: async (deps, { query: { after = 0 }, operator, reply }) => {
    await recordAct(deps, { operator, act: EXPORT.name, reason: null }, { after: { after } })
    const content = linesOf(deps, after)
    return sendFile(reply, { type: 'text/plain; charset=utf-8', name: 'sealed-books.txt', content })
  },
})

async function* linesOf({ database }: VerifyDeps, after: number): AsyncGenerator<string> {
  type Line = Awaited<ReturnType<typeof sealedLines>>[number]
  const pages = allPages<Line>((last, limit) => sealedLines(database, last?.position ?? after, limit))
  for await (const lines of pages)
    yield lines.map(({ position, hash, content }) => `${position} ${hash} ${content ?? ''}\n`).join('')
}
