// The parts of the portal that transfers add: the method to choose, the open transfer, the last refusal, and
// the link to an expired transfer.
import { DAY } from '../core/instant.js'
import { publicStatusAt, type ShownPayment } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { formatReference } from '../core/reference.js'
import { CATALOGS, isMessageKey } from '../i18n/messages.js'
import { hrefIn, Words } from '../pages/parts.js'
import type { ShownMethod } from '../pages/portal-frame.js'
import type { PartSection, PortalKinds, PortalPart, SeenPortal } from '../pages/portal-kinds.js'
import { ACCOUNT_KINDS } from './account-words.js'
import { proofProblem } from './decide-transfer.js'
import { listProofs, slipsToCheck } from './proof.sql.js'
import {
  type TransferMethod,
  type TransferPagesDeps,
  transferMethod,
  transferRoutes,
} from './transfer.route.js'
import { type PortalTransfer, TransferSection } from './transfer-section.js'
import { findTransfer, type StoredTransfer } from './transfers.sql.js'

export const transferPages: PortalKinds<TransferPagesDeps> = {
  routes: transferRoutes,
  shownMethods: (deps) => {
    const method = transferMethod(deps)
    return method ? [shownTransfer(method)] : []
  },
  read: async (deps, seen) => {
    const method = transferMethod(deps)
    return method ? readPart(deps, seen, method) : {}
  },
  refusals: {
    // Only files are sent here that can be too large.
    payload_too_large: { words: (_error, locale, say) => aboutFile(locale, say('proof_too_large')) },
    file_not_accepted: {
      words: ({ extra }, locale, say) => {
        const key = `proof_${extra.reason}`
        return isMessageKey(key) ? aboutFile(locale, say(key)) : {}
      },
    },
  },
}

function aboutFile(locale: keyof typeof CATALOGS, text: string) {
  return { title: CATALOGS[locale].error.file_not_accepted.title, text }
}

function shownTransfer({ name, accounts }: TransferMethod): ShownMethod {
  const kinds = [...new Set(accounts.map(({ kind }) => kind))]
  return {
    method: name,
    label: (say, locale) => {
      const named = new Intl.ListFormat(locale, { type: 'disjunction' })
      const list = kinds.map((kind) => say(kind === 'bank' ? 'bankAccount' : ACCOUNT_KINDS[kind]))
      return say('transferTo', { accounts: named.format(list) })
    },
    path: '/portal/transfer',
    button: 'askForTransfer',
    next: 'transferNext',
    startsFrom: 'fromSeenMoney',
    by: 'byTransfer',
    also: 'returnTransferToo',
    reference: { label: 'transferReference', inWords: formatReference },
  }
}

const BOOKED_SHOWN_MS = 3 * DAY

/** Asks the database only about transfers that are not settled, and the newest payment if it was refused. */
async function readPart(
  { database, transfers }: TransferPagesDeps,
  seen: SeenPortal,
  { name, accounts }: TransferMethod,
): Promise<PortalPart> {
  const { history, session } = seen
  const { userId } = session
  const find = (paymentId: string) => findTransfer(database, { userId, paymentId })
  const own = history.payments.filter(({ method }) => method === name)
  const unsettled = own.filter(({ status }) => status === 'pending' || status === 'expired')
  const paymentIds = unsettled.map(({ id }) => id)
  const slips = paymentIds.length === 0 ? [] : await slipsToCheck(database, { userId, paymentIds })
  const open = unsettled.find(({ status, expiresAt }) => status === 'pending' && expiresAt > history.now)
  const newest = seen.isOlder ? undefined : own.find((payment) => payment === history.payments[0])

  const asked = seen.asked('transfer')
  const wanted = asked === null ? null : lateIn(await find(asked), history)
  // An expired transfer is shown while its slip is checked, because nothing can be bought until then.
  const [slip] = wanted || open ? [] : slips
  const late = slip === undefined ? wanted : lateIn(await find(slip), history)
  const isNew = newest?.status === 'paid' && history.now - (newest.paidAt ?? 0) < BOOKED_SHOWN_MS
  const payment = late ?? open ?? (isNew ? newest : undefined)
  const refused = newest?.status === 'canceled' ? await find(newest.id) : null

  const transfer = payment && {
    ...{ payment, accounts, usualDelayMs: transfers?.usualDelayMs ?? null },
    proofs: await listProofs(database, { userId, paymentId: payment.id }),
    stage: late ? 'late' : open ? 'open' : ('booked' as PortalTransfer['stage']),
  }
  return {
    ...(slips.length > 0 && {
      checked: { ids: new Set(slips), badge: 'slipChecked', why: 'proofReceived', pastDue: 'pastDueSlip' },
    }),
    isOpen: transfer?.stage === 'open',
    open: (section) => (
      <>
        {transfer && <TransferSection {...section} transfer={transfer} />}
        {refused && <RefusedNotice {...section} refused={refused} />}
      </>
    ),
    line: (section, payment) => (payment.method === name ? LateTransferLink(section, payment) : null),
  }
}

/** The payment of an expired transfer whose slip is still taken; null: it is another, or decided. */
function lateIn(found: StoredTransfer | null, { now }: SeenPortal['history']): ShownPayment | null {
  const isLate = found && publicStatusAt(found.payment, now) === 'expired'
  return isLate && proofProblem(found.transfer, []) === null ? found.payment : null
}

function RefusedNotice({ say, refused }: PartSection & { readonly refused: StoredTransfer }) {
  const { state, refusal: reason } = refused.transfer
  if (state !== 'refused' || !reason) return null
  // A line does not end in it: these hyphens are not for breaking.
  const reference = formatReference(refused.reference).replaceAll('-', '\u2011')
  return (
    <section class="notice warn">
      <h2 safe>{say('mail_payment_refused_subject', { reference })}</h2>
      <p safe>{say('refusedBecause', { reason })}</p>
      <p>
        <Words>{say('mail_payment_refused_next')}</Words>
      </p>
    </section>
  )
}

/** The link in the history that leads to the form for the slip of an expired transfer. */
function LateTransferLink({ pages, view, say }: PartSection, payment: ShownPayment) {
  const { checkoutId, id } = payment
  if (!mayOrder(view.session)) return null
  if (checkoutId === null || publicStatusAt(payment, view.history.now) !== 'expired') return null
  return (
    <a href={hrefIn(view.session, `${pages.base}/portal?transfer=${id}#late-transfer`)} safe>
      {say('transferSent')}
    </a>
  )
}
