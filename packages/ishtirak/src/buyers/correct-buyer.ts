// An operator corrects what an invoice names of a buyer.
import { act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { reason } from '../acts/reason.js'
import {
  BUYER_FIELDS,
  BUYER_KINDS,
  type BuyerDetails,
  changedFields,
  fieldsOfBuyer,
} from '../core/buyer-details.js'
import type { ValidationCode } from '../core/error.js'
import { request } from '../http/schemas.js'
import { sayFor } from '../i18n/messages.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { loadUser } from '../ledger/load.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import { buyerInput } from './buyer-schemas.js'
import { faultInWords, kindInWords, labelOf } from './buyer-words.js'
import { saveBuyers } from './buyers.sql.js'
import { describeBuyerChange, requireBuyer } from './set-buyer.js'
import { buyersWords } from './words.js'

const CorrectBuyerSchema = request('CorrectBuyer', { ...buyerInput, why: reason })

export const correctBuyer = act<SubjectDeps & ChangeDeps>().decides({
  name: 'user.correct_buyer',
  roles: ['accountant', 'support'],
  on: USER,
  operationId: 'correctBuyer',
  summary: 'Correct what an invoice names of a buyer',
  description: 'In place of what was given: what is absent is null. Documents that were issued stay.',
  input: CorrectBuyerSchema,
  each: [...BUYER_FIELDS],
  // The trail has what changed.
  secret: [...BUYER_FIELDS],
  asksByPost: { bodyLimit: 16 * 1024 },
  texts: actTexts(buyersWords, 'correct_buyer'),
  load: (deps, { id }) => loadUser(deps, id),
  decide: ({ buyer }, { input }) => {
    const details = requireBuyer(input)
    return changedFields(buyer, details).length === 0 ? null : details
  },
  save: async (deps, { id: userId, by }, { facts: { version, buyer }, decision, now }) => {
    const change = { ...describeBuyerChange(buyer, decision), now }
    const audit = auditEntry(deps.ids, { ...by, act: 'user.correct_buyer' }, change)
    const saved = await saveBuyers(deps.database, [{ userId, version, buyer: decision, audit }], now)
    return saved.has(userId) ? 'saved' : 'stale'
  },
  preview: ({ facts: { buyer }, decision }) => ({ changes: changesOf(buyer, decision), detail: null }),
  form: {
    fields: async (pages, view, id) => {
      const { buyer } = await loadUser(pages, id)
      const say = sayFor(pages.seller.identity, view.locale)
      const values = buyer && fieldsOfBuyer(buyer)
      return BUYER_FIELDS.map((name) => ({
        ...{ name, label: labelOf(say, name), type: 'text' as const },
        ...(name === 'kind'
          ? {
              value: buyer?.kind ?? 'company',
              choices: BUYER_KINDS.map((kind) => [kind, kindInWords(say, kind)] as const),
            }
          : { value: values?.[name] ?? '', isOptional: true as const }),
        explain: (_typed: string, code: ValidationCode) =>
          faultInWords(say, view.locale, { pointer: `/${name}`, code }),
      }))
    },
    // An address stands in no URL: nothing is asked first, and the fields say what changes.
    asks: null,
    inWords: () => ({ changes: [] }),
  },
})

function changesOf(before: BuyerDetails | null, after: BuyerDetails | null) {
  if (after === null) return []
  const change = describeBuyerChange(before, after)
  return Object.entries(change.after).map(([what, value]) => ({
    ...{ what, before: change.before[what] ?? null, after: value },
  }))
}
