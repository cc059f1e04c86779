// A bank statement is read in: its lines are written down, each once, in however many files it stands.
import { auditEntry, type By } from '../acts/audit.sql.js'
import type { AccountKind } from '../core/account.js'
import { foldedLineText, isPayout } from '../core/bank-line.js'
import { wholeReferencesIn } from '../core/bank-reference.js'
import { digestOf } from '../runtime/secret.js'
import type { SaidForm } from '../transfers/bank-form-schema.js'
import { type ReadLine, readBankFile, viewForm } from './bank-file.js'
import { settleLines } from './bank-matches.sql.js'
import { insertStatement, type NewLine } from './bank-statements.sql.js'
import type { BankDeps } from './read-statement.js'

/** In the audit trail: how many lines, never what they say. Throws `file_not_accepted`. */
export async function importStatement(
  deps: BankDeps,
  {
    account,
    file,
    said,
  }: { readonly account: AccountKind; readonly file: Uint8Array; readonly said: SaidForm },
  by: By,
): Promise<string> {
  const now = deps.clock.now()
  const terms = deps.transfers?.statements
  const read = readBankFile(file, { ...terms?.forms[account], ...said })
  const lines = numbered(account, read.lines, terms?.payoutWords ?? [])
  const id = deps.ids.next('stm', now)
  const form = { ...viewForm(read.form), left_out: read.leftOut }
  const after = { statement_id: id, account, lines: lines.length }
  const audit = auditEntry(deps.ids, { ...by, act: 'statement.import' }, { after, now })
  await insertStatement(deps.database, { id, account, by: by.operator.name, form, lines, now, audit })
  await settleLines(deps.database, now)
  return id
}

/** With what each is known by: equal lines of a day are told apart by their number, whatever their place. */
function numbered(
  account: AccountKind,
  lines: readonly ReadLine[],
  payoutWords: readonly string[],
): readonly NewLine[] {
  const counts = new Map<string, number>()
  return lines.map(({ day, centimes, text }) => {
    const textKey = digestOf(foldedLineText(text))
    const key = `${account} ${day} ${centimes} ${textKey}`
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return {
      id: `lin_${digestOf(`${key} ${nth}`).slice(0, 26)}`,
      ...{ day, text, nth, amount_centimes: centimes, text_key: textKey },
      refs: wholeReferencesIn(text),
      state: isPayout(text, payoutWords) ? ('payout' as const) : ('open' as const),
    }
  })
}
