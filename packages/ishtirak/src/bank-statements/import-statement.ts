// A bank statement is read in: its lines are written down, each once, in however many files it stands. The
// file is checked as a whole; its lines are then stored in slices, which a job goes on with.
import { auditEntry, type By } from '../acts/audit.sql.js'
import { csvRefused } from '../acts/csv-file.js'
import type { AccountKind } from '../core/account.js'
import { sha256 } from '../runtime/secret.js'
import type { SaidForm } from '../transfers/bank-form-schema.js'
import { type ReadLine, readBankFile, viewForm } from './bank-file.js'
import { isPayout } from './bank-line.js'
import { settleLines } from './bank-matches.sql.js'
import { knownReferences } from './bank-references.sql.js'
import { insertStatement, type NewLine, SLICES_AT_ONCE, storeSlices } from './bank-statements.sql.js'
import { type FileRow, knownLines, type Numbers } from './known-lines.js'
import type { BankDeps } from './read-statement.js'
import { referencesIn, wholeReferencesIn } from './references-in-text.js'

/** The audit trail says how many lines, never what they say. Throws `file_not_accepted`. */
export async function importStatement(
  deps: BankDeps,
  of: { readonly account: AccountKind; readonly file: Uint8Array; readonly said: SaidForm },
  by: By,
): Promise<string> {
  const { account, file, said } = of
  const { database } = deps
  const terms = deps.transfers?.statements
  const rows: FileRow[] = []
  const keep = createKeeper(deps, account)
  const read = await readBankFile(file, { ...terms?.forms[account], ...said }, async (lines) => {
    rows.push(...(await keep(lines)))
  })
  const { leftOut } = read
  const form = viewForm(read.form)
  const [odd] = leftOut.rows
  if (rows.length === 0) throw csvRefused(odd ? `left_out_${odd.why}` : 'no_amounts', { form, ...odd })
  const now = deps.clock.now()
  const id = deps.ids.next('stm', now)
  const after = { statement_id: id, account, lines: rows.length }
  const audit = auditEntry(deps.ids, { ...by, act: 'statement.import' }, { after, now })
  const stored = {
    ...{ ...form, left_out: leftOut.count, left_out_rows: leftOut.rows },
    ...{ telling: read.telling, currency: read.currency, debits: read.debits },
    ...{ headings: read.headings, rows: read.rows },
  }
  const statement = { id, account, by: by.operator.name, form: stored, ...daysOf(rows), now, audit }
  const lineAt = (numbers: Numbers) => (index: number) =>
    newLine(rows[index], {
      numbers,
      index,
      leftOut: leftOut.references,
      payoutWords: terms?.payoutWords ?? [],
    })
  let isSaved = false
  while (!isSaved) {
    const { numbers, statements: beside } = await knownLines(database, statement, rows)
    const lines = { count: rows.length, at: lineAt(numbers) }
    isSaved = await insertStatement(database, { ...statement, lines, beside })
  }
  if (rows.length > LONG) return id
  await storeSlices(database, id, SLICES_AT_ONCE)
  await settleLines(database, now)
  return id
}

/** The lines of a longer file are stored by those who look at it, and by a job. */
const LONG = 2_000

function daysOf(rows: readonly FileRow[]): { readonly firstDay: string; readonly lastDay: string } {
  let [firstDay = '', lastDay = ''] = [rows[0]?.day, rows[0]?.day]
  for (const { day } of rows) {
    if (day < firstDay) firstDay = day
    if (day > lastDay) lastDay = day
  }
  return { firstDay, lastDay }
}

const NONE: readonly never[] = []
/** 152 bits, as 26 characters. */
const KEY_BYTES = 19

/**
 * Keeps money in, and money out under the reference of one of our transfers. A file has up to 100,000 rows,
 * so a row takes little memory: 220 bytes. With a day, a digest and empty lists of its own it took 655, and
 * an object literal with spreads took another 170.
 */
function createKeeper({ database }: BankDeps, account: AccountKind) {
  const days = new Map<string, string>()
  const sameDay = (day: string) => {
    const known = days.get(day)
    if (known === undefined) days.set(day, day)
    return known ?? day
  }
  return async (lines: readonly ReadLine[]): Promise<readonly FileRow[]> => {
    const out = lines.filter(({ centimes }) => centimes < 0)
    const named = [...new Set(out.flatMap(({ text }) => referencesIn(text)))]
    const known = named.length === 0 ? new Set<string>() : await knownReferences(database, named)
    return lines.flatMap(({ day, centimes, text, row, doubts }) => {
      const references =
        centimes > 0
          ? wholeReferencesIn(text)
          : referencesIn(text).filter((reference) => known.has(reference))
      if (centimes < 0 && references.length === 0) return NONE
      return {
        day: sameDay(day),
        centimes,
        text,
        doubts: doubts.length === 0 ? NONE : doubts,
        references: references.length === 0 ? NONE : references,
        key: sha256(`${account} ${row}`).toString('base64url', 0, KEY_BYTES),
      }
    })
  }
}

function newLine(
  row: FileRow | undefined,
  of: {
    readonly numbers: Numbers
    readonly index: number
    readonly leftOut: ReadonlySet<string>
    readonly payoutWords: readonly string[]
  },
): NewLine {
  if (!row) throw new RangeError('the file has fewer lines')
  const { day, centimes, text, key, references } = row
  const nth = of.numbers.nth[of.index] ?? 1
  const isLeftOut = references.some((reference) => of.leftOut.has(reference))
  const doubts = [
    ...row.doubts,
    ...(isLeftOut ? (['left_out'] as const) : []),
    ...(of.numbers.equal.has(of.index) ? (['equal_line'] as const) : []),
  ]
  const isPaidOut = centimes > 0 && isPayout(text, of.payoutWords)
  return {
    id: nth === 1 ? `lin_${key}` : `lin_${key}_${nth}`,
    ...{ day, text, nth, doubts, amount_centimes: centimes, text_key: key, refs: references },
    state: centimes < 0 ? 'returned' : isPaidOut ? 'payout' : 'open',
  }
}
