// changeUser is the only writer: another query would skip the version, the events and the documents.
import '../main/create-ishtirak.js'
import { declaredStatements } from '../database/database.js'

/** Columns of users and payments that are money, paid time or balance. */
const MONEY = `anchor_at|run_months|paid_until|periods|ended_at|balance|balance_entry|balance_since|
  standing_order|renews_at|amount|amount_asked|paid_at|period_start|period_end|change|review`.replace(
  /\s/g,
  '',
)
const SETS = new RegExp(`update (users|payments)\\b[^;]*?\\bset\\b[^;]*?\\b(${MONEY}) = `)
const INSERTS = /insert into (documents|balance_entries|grants)\b/

it('one statement writes money, paid time, balance and documents', () => {
  const all = [...declaredStatements].filter(([name]) => !/^(test|simulation)\./.test(name))
  const writing = all.filter(([, text]) => SETS.test(text) || INSERTS.test(text)).map(([name]) => name)
  expect(writing).toEqual(['settlements.save'])
})
