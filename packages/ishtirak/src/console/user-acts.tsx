// The acts on a user: for each when it is offered, what is asked first, what is shown beforehand, and the use
// case that does it.

import type { ActPage, Field } from '../acts/act-page.js'
import type { By } from '../acts/audit.sql.js'
import { accessChange } from '../acts/changes.js'
import { BillingError, type ErrorCode, wrongField } from '../core/error.js'
import { offersOf } from '../core/plan.js'
import { type Act, mayDo } from '../core/role.js'
import { extend, purchaseAt, statusAt } from '../core/subscription.js'
import { DESK_METHODS, type DeskMethod } from '../desk/desk.js'
import { quoteAtDesk, recordPayment } from '../desk/record.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import { instrumentName } from '../i18n/messages.js'
import { loadUser } from '../ledger/load.js'
import type { UserRecord } from '../ledger/users.sql.js'
import type { UserFile } from '../overview/acts.js'
import type { AllPages } from '../overview/all-pages.js'
import { Facts, type View } from '../pages/console-frame.js'

/** Of the question, in the query; of the form, in its body. */
type Given = (name: string) => string

type Shown = Pick<ActPage, 'version' | 'changes' | 'hidden' | 'safeMore'>

export interface UserAct {
  readonly act: Act
  isOffered(file: UserFile): boolean
  /** Of the question that comes first; absent: nothing is asked. */
  fieldsOf?(pages: AllPages, view: View, user: UserRecord): readonly Field[]
  /** By this field of the question it is answered. */
  readonly asks?: string
  /** Throws `validation_failed` with what is wrong in what was given. */
  show(pages: AllPages, view: View, userId: string, given: Given): Promise<Shown>
  /** Throws the same. */
  run(pages: AllPages, userId: string, given: Given, by: By): Promise<unknown>
}

export const USER_ACTS = {
  record: {
    act: 'payment.record',
    isOffered: () => true,
    fieldsOf: deskFields,
    asks: 'reference',
    show: showRecord,
    run: (pages, userId, given, by) => {
      const amount = Number(given('amount'))
      const taken = { userId, newUser: false, ...boughtIn(given), amount, reference: referenceIn(given) }
      return recordPayment(pages, taken, by)
    },
  },
} as const satisfies Readonly<Record<string, UserAct>>

export type UserActName = keyof typeof USER_ACTS
export const USER_ACT_NAMES = Object.keys(USER_ACTS).filter(isUserAct)

function isUserAct(name: string): name is UserActName {
  return Object.hasOwn(USER_ACTS, name)
}

/** By what the user has, and to this role. */
export function userActsOffered({ session }: View, file: UserFile): readonly UserActName[] {
  return USER_ACT_NAMES.filter((name) => {
    const { act, isOffered }: UserAct = USER_ACTS[name]
    return mayDo(session.operator, act) && isOffered(file)
  })
}

/**
 * By which fields another refusal of what was given came about; none: the figures are others than those
 * shown.
 */
const WRONG_FIELDS: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  unknown_plan: ['/plan', '/offer'],
  plan_not_purchasable: ['/plan', '/offer'],
  unknown_term: ['/offer'],
  unknown_method: ['/method'],
  wrong_amount: [],
}

function wrongFieldsOf({ code, extra }: BillingError): readonly string[] | undefined {
  // The payment that has the reference.
  return extra.payment_id === undefined ? WRONG_FIELDS[code] : ['/reference']
}

/** Throws `validation_failed` instead of what says the same by a code of its own. */
export async function namingFields<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    const fields = error instanceof BillingError ? wrongFieldsOf(error) : undefined
    if (!fields) throw error
    const problems = fields.map((pointer) => ({ pointer, code: 'not_allowed' as const }))
    throw new BillingError('validation_failed', { problems, cause: error })
  }
}

function boughtIn(given: Given) {
  const [planId = '', months = ''] = given('offer').split(' ')
  return { planId, months: Number(months), method: methodIn(given) }
}

/** Throws `validation_failed`. */
function referenceIn(given: Given): string {
  const reference = given('reference').trim()
  if (reference === '') throw wrongField('reference', 'required')
  if (reference.length > 80) throw wrongField('reference', 'too_long')
  if (/\p{Cc}/u.test(reference)) throw wrongField('reference', 'wrong_format')
  return reference
}

/** Throws `unknown_method`. */
function methodIn(given: Given): DeskMethod {
  const method = DESK_METHODS.find((name) => name === given('method'))
  if (!method) throw new BillingError('unknown_method')
  return method
}

/**
 * The amount is that of the catalogue with the stamp duty: the operator who confirms says that it was taken.
 */
async function showRecord(pages: AllPages, view: View, userId: string, given: Given): Promise<Shown> {
  const { say, locale } = view
  const { formats } = pages
  const bought = boughtIn(given)
  const user = await loadUser(pages, userId)
  const reference = referenceIn(given)
  const quote = await quoteAtDesk(pages, { userId, ...bought, reference })
  const { offer, dutyCentimes, totalCentimes } = quote
  const { rules, clock } = pages
  const now = clock.now()
  const added = purchaseAt(user.subscription, now, offer.months, rules)
  const source = { id: reference, plan: offer.plan, instrument: bought.method }
  const before = statusAt(user.subscription, now, rules)
  const after = statusAt(extend(user.subscription, added, source, now), now, rules)
  return {
    version: user.version,
    changes: [accessChange(pages, view, { before, after })],
    hidden: { offer: given('offer'), method: bought.method, reference, amount: String(totalCentimes / 100) },
    safeMore: (
      <Facts
        facts={[
          [say('plan'), planAndTerm(offer.plan, offer.months, locale)],
          [say('method'), instrumentName(bought.method, locale)],
          [say('deskTotal'), formats.centimes(totalCentimes, locale)],
          [say('stampDuty'), dutyCentimes === 0 ? null : formats.centimes(dutyCentimes, locale)],
          [say('deskReference'), reference],
        ]}
      />
    ),
  }
}

function deskFields(pages: AllPages, { say, locale }: View): readonly Field[] {
  const { formats, catalogue, methods } = pages
  const taken = DESK_METHODS.filter((name) => methods.all.some((method) => method.name === name))
  const offers = catalogue.plans.flatMap(offersOf).map(({ plan, months, price }) => {
    const words = [planAndTerm(plan, months, locale), formats.money(price.amount, locale)]
    return [`${plan.id} ${months}`, inParts(words, locale)] as const
  })
  return [
    { name: 'offer', label: say('plan'), value: '', type: 'text', choices: offers },
    {
      name: 'method',
      label: say('method'),
      value: '',
      type: 'text',
      choices: taken.map((name) => [name, instrumentName(name, locale)] as const),
    },
    { name: 'reference', label: say('deskReference'), value: '', type: 'text' },
  ]
}
