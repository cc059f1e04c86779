// Which documents a payment must have, and their numbers, is worked out from the rows, without the service.

import type { TypedBuyer } from '../../packages/ishtirak/src/buyers/read-buyer.js'
import { setBuyer } from '../../packages/ishtirak/src/buyers/set-buyer.js'
import { correctInvoice as correctAct } from '../../packages/ishtirak/src/documents/documents-part.js'
import { askForInvoice, issueOwedInvoices } from '../../packages/ishtirak/src/documents/invoices.js'
import { ENTERED_COMPANY } from '../support/fixtures.js'
import type { SeededRandom } from '../support/random.js'
import { act, deed } from './expected.js'
import type { BookedDocument, BookedPayment, Ledger, StoredBuyer } from './ledger.js'
import type { Process } from './process.js'
import { isBooked, require } from './rules.js'
import type { Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

const IN_FORCE = 'each payment has one document in force'
const TAKEN_BACK = 'what went back of an invoice has one credit note'
const INVOICED = 'who needs an invoice has it'
const NUMBERED = 'numbers of documents have no gap'

const DAY_MS = 86_400_000
/** Algeria has kept UTC+1 all year since 1981. */
const dayOf = (instant: number) => new Date(instant + 3_600_000).toISOString().slice(0, 10)

type Standing = 'company' | 'person' | 'incomplete'

function standingOf(buyer: StoredBuyer | null | undefined): Standing {
  if (!buyer?.name || !buyer.address) return 'incomplete'
  if (buyer.kind === 'person') return 'person'
  const { rc, nif, nis, ai, legal_form } = buyer
  return rc && nif && nis && ai && legal_form ? 'company' : 'incomplete'
}

function drawBuyer(random: SeededRandom, standing: Standing): TypedBuyer {
  const address = `${random.between(1, 9999)} rue Didouche Mourad, Alger`
  const company = { ...ENTERED_COMPANY, address }
  const person = { kind: 'person', name: 'Samira Taleb' }
  if (standing === 'company') return company
  if (standing === 'person') return { ...person, address }
  return random.pick([
    { ...company, nif: null },
    { ...person, address: null },
  ])
}

export class Documents {
  /** What users were said to be since the last look, whether it was saved or not. */
  readonly said = new Map<string, Standing[]>()
  readonly #before = new Map<string, Standing>()
  readonly #booked = new Set<string>()

  standingsOf(userId: string, ledger: Ledger): readonly Standing[] {
    const before = this.#before.get(userId) ?? 'incomplete'
    return [before, ...(this.said.get(userId) ?? []), standingOf(buyerOf(ledger, userId))]
  }

  check(ledger: Ledger, now: number): void {
    checkNumbers(ledger, now)
    for (const payment of ledger.payments) {
      const own = documentsOf(ledger, payment)
      checkInForce(payment, own, ledger)
      const [first] = own
      if (first && !this.#booked.has(payment.id)) this.#checkFirst(payment, first, ledger)
    }
  }

  looked({ users }: Ledger): void {
    for (const { user, buyer } of users) this.#before.set(user, standingOf(buyer))
    this.said.clear()
  }

  /** Only a company has an invoice instead of the receipt. */
  #checkFirst(payment: BookedPayment, { kind }: BookedDocument, ledger: Ledger): void {
    this.#booked.add(payment.id)
    const standings = this.standingsOf(payment.user, ledger)
    const isOwed = sellsTime(payment) && standings.includes('company')
    const isFree = !sellsTime(payment) || standings.some((standing) => standing !== 'company')
    require(kind === 'invoice' ? isOwed : isFree, INVOICED, () =>
      `${payment.id} of ${payment.user}, ${standings}: ${kind}`)
  }
}

const documentsOf = ({ documents }: Ledger, { id }: BookedPayment): readonly BookedDocument[] =>
  documents.filter(({ payment }) => payment === id).sort((one, other) => one.place - other.place)

const buyerOf = ({ users }: Ledger, userId: string) => users.find(({ user }) => user === userId)?.buyer

/** Money that only fills a balance has bought nothing. */
const sellsTime = ({ kind, start }: BookedPayment) => kind !== 'top_up' && start !== null

const LETTERS = { receipt: '', invoice: 'F-', credit_note: 'A-' } as const

function checkNumbers({ documents, series: drawn }: Ledger, now: number): void {
  const last = new Map(drawn.map(({ series, last: number }) => [series, number]))
  for (const series of new Set([...documents.map((document) => document.series), ...last.keys()])) {
    const own = documents.filter((document) => document.series === series)
    const numbers = own.map(({ number }) => number)
    const isWhole = numbers.every((number, place) => number === place + 1)
    require(isWhole && numbers.length === last.get(series), NUMBERED, () =>
      `${series}: ${numbers}, drawn ${last.get(series)}`)
    for (const [place, { kind, on, at }] of own.entries()) {
      const isIts = series === `TEST-${LETTERS[kind]}${on.slice(0, 4)}`
      require(isIts, NUMBERED, () => `a ${kind} of ${on} in ${series}`)
      const isRising = (own[place - 1]?.on ?? '') <= on && dayOf(at) <= on && on <= dayOf(now)
      require(isRising, 'documents are dated in the order of their numbers', () =>
        `${series}-${place + 1} of ${on} after ${own[place - 1]?.on}`)
    }
  }
}

/** `own`: in order. An invoice and a credit note take turns, each names the one before. */
function checkInForce(payment: BookedPayment, own: readonly BookedDocument[], ledger: Ledger): void {
  const shown = () => `${payment.id}, ${payment.status}: ${JSON.stringify(own)}`
  const [first, ...later] = own
  require(isBooked(payment) === (first !== undefined), IN_FORCE, shown)
  for (const [place, document] of own.entries()) {
    const before = own[place - 1]
    const follows = before ? (before.kind === 'invoice' ? 'credit_note' : 'invoice') : first?.kind
    const isNext = document.kind === follows && document.place === place && document.user === payment.user
    require(isNext && document.about === (before ? numberOf(before) : null), IN_FORCE, shown)
    const isWhole = document.amount === payment.amount && document.stamp === first?.stamp
    require(isWhole, document.kind === 'credit_note' ? TAKEN_BACK : IN_FORCE, shown)
    const namesWho = document.kind === 'receipt' || standingOf(document.details) !== 'incomplete'
    require(namesWho, IN_FORCE, shown)
  }
  require(sellsTime(payment) || later.length === 0, IN_FORCE, shown)
  const last = own.at(-1)?.kind
  if (payment.status === 'refunded') require(last !== 'invoice', TAKEN_BACK, shown)
  if (payment.status !== 'paid' || last !== 'credit_note') return
  // The invoice after a correction is still to come.
  const isOwed = ledger.owing.includes(payment.user)
  const isMissing = standingOf(buyerOf(ledger, payment.user)) === 'incomplete'
  require(isOwed || isMissing, IN_FORCE, shown)
}

const numberOf = ({ series, number }: BookedDocument) => `${series}-${String(number).padStart(6, '0')}`

export function nameBuyer(
  world: SimulatedWorld,
  process: Process,
  userId: string,
  standing: Standing = world.random.weighted({ company: 5, person: 2, incomplete: 2 }),
): Task {
  const { said } = world.documents
  const typed = drawBuyer(world.random, standing)
  said.set(userId, [...(said.get(userId) ?? []), standing])
  return deed(world, process, {
    ...{ name: `${userId} is a ${standing}`, figure: `buyers: ${standing}` },
    start: (parts) => setBuyer(parts, { userId }, typed),
    done: () => {
      const isKnown = world.documents.standingsOf(userId, world.ledger).includes(standing)
      require(isKnown, INVOICED, () => `${userId} is not a ${standing}`)
    },
  })
}

export function askInvoices(world: SimulatedWorld, process: Process, userId: string): readonly Task[] {
  const own = world.ledger.payments.filter(({ user }) => user === userId)
  const paid = own.filter(({ status }) => status === 'paid')
  const candidates = paid.length > 0 && world.random.boolean(0.9) ? paid : own
  if (candidates.length === 0) return []
  const payment = world.random.pick(candidates)
  const of = () => askInvoice(world, world.anyProcess() ?? process, payment)
  return Array.from({ length: world.random.pick([1, 1, 2, 3]) }, of)
}

export function askInvoice(world: SimulatedWorld, process: Process, payment: BookedPayment): Task {
  const { id, user } = payment
  const before = world.documents.standingsOf(user, world.ledger)
  let standings = before
  return deed(world, process, {
    name: `${user} asks for the invoice of ${id}`,
    start: (parts) => askForInvoice(parts, { userId: user, paymentId: id }),
    done: ({ number, kind }) => {
      const document = world.ledger.documents.find((one) => numberOf(one) === number)
      require(kind === 'invoice' && document?.payment === id && document.kind === kind, INVOICED, () =>
        `${number} of ${id} is ${JSON.stringify(document)}`)
    },
    ended: (how) => {
      if (how === 'done') world.figures.count('checked: an invoice was asked for')
      world.figures.count(`invoices: ${how}`)
      // Others may be said by a task of the same run.
      standings = [...before, ...(world.documents.said.get(user) ?? [])]
    },
    refusals: ['already_refunded', 'payment_not_paid', 'conflict', 'buyer_incomplete'],
    refused: (code) => {
      const now = world.payment(id)
      const isRight: Readonly<Record<string, boolean>> = {
        already_refunded: now.status === 'refunded',
        payment_not_paid: !isBooked(payment),
        conflict: !sellsTime(now),
        buyer_incomplete: standings.includes('incomplete'),
      }
      require(isRight[code] ?? true, INVOICED, () => `${id} of ${standings}: ${code}`)
    },
  })
}

export function correctInvoice(world: SimulatedWorld, process: Process, id: string): Task {
  const creditNotes = () =>
    world.ledger.documents.filter(({ payment, kind }) => payment === id && kind === 'credit_note').length
  const before = creditNotes()
  return deed(world, process, {
    ...{ name: `the operator corrects the invoice of ${id}`, figure: 'acts: corrects' },
    start: (parts) => act(parts, correctAct, id),
    refusals: ['conflict', 'already_refunded', 'buyer_incomplete'],
    done: () => require(creditNotes() > before, TAKEN_BACK, () => `${id} has no credit note`),
  })
}

export function issueOwed(world: SimulatedWorld, process: Process): Task {
  const start = async (parts: Process['parts']) =>
    world.figures.count('owed invoices issued', await issueOwedInvoices(parts, () => true))
  return deed(world, process, { name: 'owed invoices', start })
}

/** The job that died with a user leaves a lease of so long. */
const LEASE_MS = 5 * 60_000

/** The job without faults, past the leases of those that died: no invoice is owed afterwards. */
export async function issueAllOwed(world: SimulatedWorld, process: Process): Promise<void> {
  world.pass(LEASE_MS)
  // A sale counts if it is at most so old when the job looks.
  const since = world.now - 31 * DAY_MS
  await world.run([issueOwed(world, process)])
  const { ledger } = world
  require(ledger.owing.length === 0, INVOICED, () => `${ledger.owing} are owed more`)
  for (const payment of ledger.payments.filter(({ status }) => status === 'paid').filter(sellsTime)) {
    const standing = standingOf(buyerOf(ledger, payment.user))
    const own = documentsOf(ledger, payment)
    const [first, last] = [own[0], own.at(-1)]
    const isOwed =
      last?.kind === 'credit_note'
        ? standing !== 'incomplete'
        : standing === 'company' && (first?.at ?? 0) >= since
    require(!isOwed || last?.kind === 'invoice', INVOICED, () =>
      `${payment.id} of a ${standing}: ${JSON.stringify(own)}`)
  }
  world.figures.count('checked: what is owed is issued')
}
