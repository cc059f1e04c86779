// The details of many buyers from a file: each line by itself, with a result of its own. A line that says
// what is known already changes nothing.
import { type Static, Type } from 'typebox'
import { auditEntry, type By } from '../acts/audit.sql.js'
import { reading } from '../acts/reading.js'
import { type BuyerDetails, fieldsOfBuyer } from '../core/buyer-details.js'
import { VALIDATION_CODES, type ValidationCode } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { Permission } from '../core/role.js'
import { untilFresh } from '../database/database.js'
import { object, query } from '../http/schemas.js'
import { type BuyerChange, findBuyers, type StoredBuyer, saveBuyers } from './buyers.sql.js'
import { BUYERS_FILE_BYTES_MAX, type BuyerLine, readBuyersFile } from './buyers-file.js'
import { changedFields, readBuyerDetails } from './read-buyer.js'
import { type BuyerDeps, describeBuyerChange } from './set-buyer.js'

const IMPORT_BUYERS: Permission = { name: 'buyers.import', roles: ['accountant', 'support'] }

/** A statement has so many. */
const AT_ONCE = 500

const LineResultSchema = object('BuyerLineResult', {
  line: Type.Integer({ description: 'Of the file, from 1 on' }),
  user_id: Type.String(),
  outcome: Type.Enum(['changed', 'unchanged', 'failed']),
  errors: Type.Array(
    Type.Object({
      field: Type.String({ examples: ['nif'] }),
      code: Type.Enum([...VALIDATION_CODES]),
    }),
    { description: 'Of a line that failed: `user_id` is unknown, or named twice; another field is wrong' },
  ),
})
type LineResult = Static<typeof LineResultSchema>

const ImportSchema = object('BuyersImport', {
  dry_run: Type.Boolean({ description: 'Nothing was changed' }),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer(),
  results: Type.Array(LineResultSchema),
})

export const importBuyers = reading<BuyerDeps>().reads({
  ...IMPORT_BUYERS,
  method: 'POST',
  path: '/buyers/import',
  takes: { mostBytes: BUYERS_FILE_BYTES_MAX },
  operationId: 'importBuyers',
  summary: 'Take the details of buyers from a file',
  description:
    'The body is CSV of at most 5 MiB and 10,000 lines, with the columns `user_id`, `kind` and any of ' +
    '`name`, `address`, `rc`, `nif`, `nis`, `ai`, `legal_form`, `capital`, `phone`, `email`. An empty cell ' +
    'clears; without its column a field stays. A line that fails stops no other.',
  query: query({
    dry_run: Type.Optional(Type.Boolean({ description: 'Say what would be done, and change nothing' })),
  }),
  refuses: ['payload_too_large', 'request_timeout', 'file_not_accepted'],
  answer: ImportSchema,
  // Of a file: see cli-import.ts.
  command: null,
  read: async (deps, { query: { dry_run = false }, operator, file }) => {
    const results = await importLines(
      deps,
      await readBuyersFile(file),
      dry_run ? null : { operator, reason: null },
    )
    const count = (wanted: LineResult['outcome']) =>
      results.filter(({ outcome }) => outcome === wanted).length
    const counts = {
      ...{ changed: count('changed'), unchanged: count('unchanged'), failed: count('failed') },
    }
    return { dry_run, ...counts, results }
  },
})

/** `by` null: nothing is changed. */
async function importLines(
  deps: BuyerDeps,
  lines: readonly BuyerLine[],
  by: By | null,
): Promise<readonly LineResult[]> {
  const first = new Map<string, number>()
  for (const { userId, line } of lines) if (!first.has(userId)) first.set(userId, line)
  const results: LineResult[] = []
  for (let from = 0; from < lines.length; from += AT_ONCE) {
    const some = lines.slice(from, from + AT_ONCE)
    const alone = some.filter(({ userId, line }) => first.get(userId) === line)
    const done = await importSome(deps, alone, by)
    // Which of two lines is meant nobody knows; the first counts, so that the file may be sent again.
    results.push(...some.map((one) => done.get(one) ?? resultOf(one, [['user_id', 'not_allowed']])))
  }
  return results
}

type Faults = readonly (readonly [field: string, code: ValidationCode])[]

function resultOf({ line, userId }: BuyerLine, decided: Faults | 'changed' | 'unchanged'): LineResult {
  const isWrong = typeof decided !== 'string'
  const errors = isWrong ? decided.map(([field, code]) => ({ field, code })) : []
  return { line, user_id: userId, outcome: isWrong ? 'failed' : decided, errors }
}

/** Of different users. What another has changed meanwhile is decided again. */
async function importSome(deps: BuyerDeps, lines: readonly BuyerLine[], by: By | null) {
  const { database, clock } = deps
  const results = new Map<BuyerLine, LineResult>()
  let waiting = lines
  await untilFresh('the import of buyers', async () => {
    const now = clock.now()
    const known = await findBuyers(
      database,
      waiting.map(({ userId }) => userId),
    )
    const changes = new Map<BuyerLine, BuyerChange>()
    for (const line of waiting) {
      const decided = decide(line, known.get(line.userId))
      if ('faults' in decided) results.set(line, resultOf(line, decided.faults))
      else if (decided.change === null || by === null)
        results.set(line, resultOf(line, decided.change === null ? 'unchanged' : 'changed'))
      else changes.set(line, changeBy(deps, by, decided.change, now))
    }
    const saved = changes.size === 0 ? new Set() : await saveBuyers(database, [...changes.values()], now)
    for (const line of changes.keys())
      if (saved.has(line.userId)) results.set(line, resultOf(line, 'changed'))
    waiting = waiting.filter((line) => !results.has(line))
    return waiting.length === 0 ? 'saved' : 'stale'
  })
  return results
}

interface Change {
  readonly found: StoredBuyer
  readonly after: BuyerDetails
}

function decide(
  { typed, isTooWide }: BuyerLine,
  found: StoredBuyer | undefined,
): { readonly faults: Faults } | { readonly change: Change | null } {
  const before = found?.buyer ?? null
  const read = readBuyerDetails({ ...(before && fieldsOfBuyer(before)), ...typed })
  const faults: Faults = [
    ...(found ? [] : [['user_id', 'invalid'] as const]),
    ...(isTooWide ? [['line', 'too_long'] as const] : []),
    ...(read.problems ?? []).map(({ pointer, code }) => [pointer.slice(1), code] as const),
  ]
  if (faults.length > 0 || read.problems || !found) return { faults }
  const isAnother = changedFields(before, read.details).length > 0
  return { change: isAnother ? { found, after: read.details } : null }
}

function changeBy({ ids }: BuyerDeps, by: By, { found, after }: Change, now: Instant): BuyerChange {
  const { userId, version, buyer } = found
  const change = { ...describeBuyerChange(buyer, after), now }
  return {
    ...{ userId, version, buyer: after },
    audit: auditEntry(ids, { ...by, act: 'buyers.import' }, change),
  }
}
