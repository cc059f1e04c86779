// Sealed books as a capability: the job, the check with its command, and the export of the chain.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { Type } from 'typebox'
import { recordAct } from '../acts/audit.sql.js'
import type { Capability } from '../acts/capability.js'
import { plainJson, sections } from '../acts/cli-tables.js'
import { commandsOf } from '../acts/commands.js'
import { sendFile } from '../acts/files.js'
import {
  type AccessOptions,
  addAccessOptions,
  CommandFailed,
  type CommandHost,
} from '../acts/operator-client.js'
import { allPages } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { MINUTE } from '../core/instant.js'
import type { Permission } from '../core/role.js'
import { query, request, timestamp } from '../http/schemas.js'
import { type SealDeps, sealBooks } from './seal-books.js'
import { sealedLines } from './seals.sql.js'
import { headsIn, type VerifyDeps, verifyBooksReading } from './verify-books.js'

const SealedHeadSchema = request('SealedHead', {
  day: Type.String({ description: 'The day in the billing time zone', examples: ['2026-12-21'] }),
  position: Type.Integer({ description: 'How many entries are sealed', examples: [812] }),
  hash: Type.String({
    description: 'SHA-256 of the last seal, hexadecimal',
    pattern: '^[0-9a-f]{64}$',
    examples: ['6e3692a35cecc0fe64990c893e0ed7ac9c3336d37b241beec8ea090d8de2f643'],
  }),
})

const EXPORT: Permission = { name: 'books.export', roles: ['accountant'] }

const exportSeals = reading<VerifyDeps>()({
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

export const seals: Capability<SealDeps & VerifyDeps> = {
  name: 'seals',
  readings: [exportSeals, verifyBooksReading],
  helpHeading: 'Money:',
  commandGroups: { books: 'Check the sealed books, and write their lines to a file' },
  commands: addVerifyCommand,
  notices: {
    'books.sealed': {
      meaning:
        'The head of the sealed books at the end of a day, to be kept. It is about no user. Until it is ' +
        'taken it comes every five minutes, or the next one in its place.',
      schema: request('BooksSealedEvent', {
        ...{ type: Type.Literal('books.sealed'), timestamp, data: SealedHeadSchema },
      }),
    },
  },
  jobs: (deps) => [
    {
      name: 'seal-books',
      stage: 'tidy',
      everyMs: 5 * MINUTE,
      run: (goesOn) => sealBooks(deps, goesOn),
      oncePerCluster: true,
    },
  ],
}

type VerifyOptions = AccessOptions & { readonly from?: string; readonly json?: true }

function addVerifyCommand(program: Command, host: CommandHost): void {
  const command = commandsOf(program, 'books')
    .command('verify')
    .description(verifyBooksReading.summary)
    .option('--from <file>', 'heads that were kept: lines of position and hash, saved mails, or an export')
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async ({ from, json, ...access }: VerifyOptions) => {
      const file = from === undefined ? Buffer.alloc(0) : await readHeads(from)
      const client = await host.openClient(access)
      const answer = await client
        .ask({ method: 'POST', path: verifyBooksReading.path, file })
        .then((text) => JSON.parse(text))
        .finally(() => client.close())
      process.stdout.write(`${json ? plainJson(answer) : sections(answer, host.timeZone())}\n`)
      const { found } = answer
      if (!found) return
      const { what, position, kind, entry } = found
      // The id of an act says that it is one.
      const named = kind === null ? 'an entry' : kind === 'act' ? entry : `${kind.replace('_', ' ')} ${entry}`
      process.stderr.write(
        `${SAYS[what as keyof typeof SAYS](named)}${position ? ` (seal ${position})` : ''}\n`,
      )
      process.exitCode = 1
    })
}

const SAYS = {
  changed: (entry: string) => `${entry} was changed, or an act before it was removed with its seal`,
  removed: (entry: string) => `${entry} was removed`,
  inserted: (entry: string) => `${entry} was inserted`,
  moved: (entry: string) => `${entry} was moved`,
  cut: () => 'a head is missing: what was sealed last was removed, or an older backup was restored',
  resealed: () => 'a head is another one: entries up to it were changed and sealed again',
}

/** Sends only the heads, because lines of an export also have the contents. */
async function readHeads(path: string): Promise<Buffer> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandFailed(error.message)
  })
  const heads = headsIn(text)
  if (heads.length === 0) throw new CommandFailed(`${path} has no line with a position and a hash`)
  return Buffer.from(heads.map(({ position, hash }) => `${position} ${hash}\n`).join(''))
}
