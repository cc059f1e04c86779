// A bank statement is read in: its lines are written down, each once, in however many files it stands.
import { auditEntry } from '../acts/audit.sql.js'
import type { Operator } from '../core/role.js'
import { fileRefused } from '../http/upload.js'
import { sha256 } from '../runtime/secret.js'
import { type ReadLine, readBankFile } from './bank-file.js'
import { knownReferences } from './bank-matches.sql.js'
import type { ImportQuery } from './bank-schemas.js'
import {
  insertStatement,
  knownForms,
  type NewLine,
  type StoredStatement,
  settleLines,
} from './bank-statements.sql.js'
import type { BankDeps } from './read-statement.js'
import { referencesInside, wholeReferencesIn } from './references-in-text.js'

/**
 * A file has at most so many lines that are kept. One transaction stores them, for which all else waits on
 * the embedded database: 4,000 took 2.5 s there and 0.5 s on a server, beside ten busy processes.
 */
const LINES_MAX = 4_000

/** The audit trail says how many lines, never what they say. Throws `file_not_accepted`. */
export async function importStatement(
  deps: BankDeps,
  { account, ...asked }: ImportQuery,
  file: Uint8Array,
  operator: Operator,
): Promise<string> {
  const { database, ids, clock } = deps
  const known = await knownForms(database, account)
  const { form, lines } = await readBankFile(file, { asked, known })
  const kept = await linesToKeep(deps, lines)
  if (kept.length === 0) throw fileRefused('no_amounts', { form })
  if (kept.length > LINES_MAX) throw fileRefused('too_many_rows', { most: LINES_MAX })
  const now = clock.now()
  const id = ids.next('stm', now)
  const days = kept.map(({ day }) => day).sort()
  const made: StoredStatement = {
    ...{ statement_id: id, account, form, imported_at: now, imported_by: operator.name },
    ...{ lines: kept.length, first_day: days[0] ?? '', last_day: days.at(-1) ?? '' },
  }
  const after = { statement_id: id, account, lines: kept.length }
  const audit = auditEntry(ids, { operator, act: 'statement.import', reason: null }, { after, now })
  const payoutWords = deps.transfers?.payoutWords ?? []
  await insertStatement(database, made, newLines(made, kept, payoutWords), audit)
  await settleLines(database, now)
  return id
}

type KeptLine = ReadLine & { readonly references: readonly string[] }

/** Money in, and money out under the reference of one of our transfers. */
async function linesToKeep({ database }: BankDeps, lines: readonly ReadLine[]): Promise<readonly KeptLine[]> {
  const out = lines.filter(({ centimes }) => centimes < 0)
  const named = [...new Set(out.flatMap(({ text }) => referencesInside(text)))]
  const known = named.length === 0 ? new Set() : await knownReferences(database, named)
  return lines.flatMap((line) => {
    const { centimes, text } = line
    if (centimes > 0) return { ...line, references: wholeReferencesIn(text) }
    const references = referencesInside(text).filter((one) => known.has(one))
    return references.length === 0 ? [] : { ...line, references }
  })
}

/**
 * A line is known by a digest of the account and the whole row (152 bits), and by its number among the equal
 * rows of the file: files overlap by whole days, so an equal row of another file is the same line.
 */
function newLines(
  { statement_id, account }: StoredStatement,
  lines: readonly KeptLine[],
  payoutWords: readonly string[],
): readonly NewLine[] {
  const seen = new Map<string, number>()
  return lines.map(({ row, ...line }, index) => {
    const digest = sha256(`${account} ${row}`).toString('base64url', 0, 19)
    const nth = (seen.get(digest) ?? 0) + 1
    seen.set(digest, nth)
    const text = line.text.toLowerCase()
    const isPaidOut = payoutWords.some((word) => text.includes(word.toLowerCase()))
    return {
      ...{ ...line, statement_id, account, place: index + 1 },
      id: nth === 1 ? `lin_${digest}` : `lin_${digest}_${nth}`,
      state: line.centimes < 0 ? 'returned' : isPaidOut ? 'payout' : 'open',
    }
  })
}
