// A bank statement is read in: its lines are written down, each once, in however many files it stands.
import { auditEntry, type By } from '../acts/audit.sql.js'
import { csvRefused } from '../acts/csv-file.js'
import type { AccountKind } from '../core/account.js'
import { at } from '../database/rows.js'
import { sha256 } from '../runtime/secret.js'
import type { SaidForm } from '../transfers/bank-form-schema.js'
import { type ReadLine, readBankFile } from './bank-file.js'
import { isPayout } from './bank-line.js'
import { settleLines } from './bank-matches.sql.js'
import { knownReferences } from './bank-references.sql.js'
import { alone, earlierLines, insertStatement, type NewLine } from './bank-statements.sql.js'
import { type LineNumber, numbersOf } from './known-lines.js'
import type { BankDeps } from './read-statement.js'
import { referencesIn, wholeReferencesIn } from './references-in-text.js'

/**
 * A file has at most so many lines that are kept. One transaction stores them, for which all else waits on
 * the embedded database: 4,000 took 2.5 s there and 0.5 s on a server, beside ten busy processes.
 */
const LINES_MAX = 4_000

/** The audit trail says how many lines, never what they say. Throws `file_not_accepted`. */
export async function importStatement(
  deps: BankDeps,
  of: { readonly account: AccountKind; readonly file: Uint8Array; readonly said: SaidForm },
  by: By,
): Promise<string> {
  const { account, file, said } = of
  const { database, ids, clock } = deps
  const terms = deps.transfers?.statements
  const read: ReadLine[] = []
  const { form, leftOut } = await readBankFile(file, { ...terms?.forms[account], ...said }, (line) => {
    read.push(line)
  })
  const rows = await rowsToKeep(deps, read, account)
  const [odd] = form.left_out_rows
  if (rows.length === 0) throw csvRefused(odd ? `left_out_${odd.why}` : 'no_amounts', { form, ...odd })
  if (rows.length > LINES_MAX) throw csvRefused('too_many_rows', { most: LINES_MAX })
  const now = clock.now()
  const id = ids.next('stm', now)
  const days = rows.map(({ day }) => day).sort()
  const made = {
    ...{ id, account, form, imported_at: at(now), imported_by: by.operator.name, lines: rows.length },
    ...{ first_day: days[0] ?? '', last_day: days.at(-1) ?? '' },
  }
  const after = { statement_id: id, account, lines: rows.length }
  const audit = auditEntry(ids, { ...by, act: 'statement.import' }, { after, now })
  await alone(database, async (held) => {
    const earlier = await earlierLines(held, made)
    const numbers = numbersOf(
      rows.map(({ key }) => key),
      earlier,
    )
    const lines = rows.map((row, index) => ({
      ...{ statement_id: id, account },
      ...newLine(row, { number: numbers[index], leftOut, payoutWords: terms?.payoutWords ?? [] }),
    }))
    await insertStatement(held, made, lines, audit)
  })
  await settleLines(database, now)
  return id
}

interface FileRow extends ReadLine {
  readonly references: readonly string[]
  /** A digest of the account and the whole row, which tells it from the others: 152 bits. */
  readonly key: string
}

/** Money in, and money out under the reference of one of our transfers. */
async function rowsToKeep(
  { database }: BankDeps,
  lines: readonly ReadLine[],
  account: AccountKind,
): Promise<readonly FileRow[]> {
  const out = lines.filter(({ centimes }) => centimes < 0)
  const named = [...new Set(out.flatMap(({ text }) => referencesIn(text)))]
  const known = named.length === 0 ? new Set() : await knownReferences(database, named)
  return lines.flatMap((line) => {
    const { centimes, text } = line
    const isIn = centimes > 0
    const references = isIn ? wholeReferencesIn(text) : referencesIn(text).filter((one) => known.has(one))
    if (!isIn && references.length === 0) return []
    return { ...line, references, key: sha256(`${account} ${line.row}`).toString('base64url', 0, 19) }
  })
}

function newLine(
  { day, centimes, text, key, references, doubts: ofRow }: FileRow,
  of: {
    readonly number: LineNumber | undefined
    readonly leftOut: ReadonlySet<string>
    readonly payoutWords: readonly string[]
  },
): Omit<NewLine, 'statement_id' | 'account'> {
  const { nth = 1, isEqual = false } = of.number ?? {}
  const isLeftOut = references.some((reference) => of.leftOut.has(reference))
  const doubts = [
    ...ofRow,
    ...(isLeftOut ? (['left_out'] as const) : []),
    ...(isEqual ? (['equal_line'] as const) : []),
  ]
  const isPaidOut = centimes > 0 && isPayout(text, of.payoutWords)
  return {
    id: nth === 1 ? `lin_${key}` : `lin_${key}_${nth}`,
    ...{ day, text, nth, doubts, amount_centimes: centimes, text_key: key, refs: references },
    state: centimes < 0 ? 'returned' : isPaidOut ? 'payout' : 'open',
  }
}
