// The parts of the portal that transfers add: the method to choose, the open transfer, and its forms.
import { DAY } from '../core/instant.js'
import { publicStatusAt } from '../core/payment.js'
import { formatReference } from '../core/reference.js'
import { CATALOGS, isMessageKey } from '../i18n/messages.js'
import type { PortalKinds, PortalPart, SeenPortal } from '../pages/portal-kinds.js'
import type { ShownMethod } from '../pages/shown-method.js'
import { proofProblem } from './decide-transfer.js'
import { listProofs, slipsToCheck } from './proof.sql.js'
import {
  type TransferMethod,
  type TransferPagesDeps,
  transferMethod,
  transferRoutes,
} from './transfer.route.js'
import {
  LateTransferLink,
  type PortalTransfer,
  RefusedNotice,
  type RefusedTransfer,
  TransferSection,
  transferLabel,
} from './transfer-section.js'
import { findTransfer } from './transfers.sql.js'

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
  return {
    method: name,
    label: transferLabel(accounts),
    path: '/portal/transfer',
    button: 'askForTransfer',
    next: 'transferNext',
    startsFrom: 'fromSeenMoney',
    by: 'byTransfer',
    also: 'returnTransferToo',
    reference: { label: 'transferReference', inWords: formatReference },
  }
}

interface Reading extends Pick<TransferPagesDeps, 'database' | 'transfers'> {
  readonly name: string
  readonly seen: SeenPortal
}

async function readPart(
  { database, transfers }: TransferPagesDeps,
  seen: SeenPortal,
  { name, accounts }: TransferMethod,
): Promise<PortalPart> {
  const reading = { database, transfers, name, seen }
  const ids = await readSlips(reading)
  const transfer = await readTransfer(reading, ids)
  const refused = seen.isOlder ? null : await readRefused(reading)
  return {
    ...(ids.size > 0 && { checked: { ids, badge: 'slipChecked', pastDue: 'pastDueSlip' } }),
    isOpen: transfer?.stage === 'open',
    open: (section) => (
      <>
        {transfer && <TransferSection {...section} {...{ transfer, accounts }} />}
        {refused && <RefusedNotice {...section} refused={refused} />}
      </>
    ),
    line: (section, payment) => (payment.method === name ? LateTransferLink(section, payment) : null),
  }
}

async function readTransfer(of: Reading, slips: ReadonlySet<string>): Promise<PortalTransfer | null> {
  const { database, transfers, seen } = of
  const asked = seen.asked('transfer')
  const wanted = asked === null ? null : await findLate(of, asked)
  const open = wanted ?? openTransferIn(of)
  // An expired transfer is shown while its slip is checked, because nothing can be bought until then.
  const [checked] = slips
  const late = wanted ?? (open || checked === undefined ? null : await findLate(of, checked))
  const booked = late || open ? null : bookedTransferIn(of)
  const payment = late ?? open ?? booked
  if (!payment) return null
  const { userId } = seen.session
  const proofs = await listProofs(database, { userId, paymentId: payment.id })
  const stage = late ? 'late' : booked ? 'booked' : 'open'
  return { payment, proofs, stage, usualDelayMs: transfers?.usualDelayMs ?? null }
}

/** The portal shows for 3 days that a transfer was booked. */
const BOOKED_SHOWN_MS = 3 * DAY

/** The newest payment, if it is a transfer that was booked a short time ago. */
function bookedTransferIn({ name, seen: { history, isOlder } }: Reading) {
  const [newest] = history.payments
  if (isOlder || newest?.method !== name || newest.status !== 'paid') return undefined
  return history.now - (newest.paidAt ?? 0) < BOOKED_SHOWN_MS ? newest : undefined
}

/** Finds a transfer that is waited for among the newest payments. */
function openTransferIn({ name, seen: { history } }: Reading) {
  return history.payments.find(
    ({ method, status, expiresAt }) => method === name && status === 'pending' && expiresAt > history.now,
  )
}

async function findLate({ database, seen }: Reading, paymentId: string) {
  const found = await findTransfer(database, { userId: seen.session.userId, paymentId })
  const isLate = found && publicStatusAt(found.payment, seen.history.now) === 'expired'
  return isLate && proofProblem(found.transfer, []) === null ? found.payment : null
}

/** Asks the database only if a transfer is not settled. */
async function readSlips({ database, name, seen }: Reading): Promise<ReadonlySet<string>> {
  const { userId } = seen.session
  const unsettled = seen.history.payments.filter(
    ({ method, status }) => method === name && (status === 'pending' || status === 'expired'),
  )
  const paymentIds = unsettled.map(({ id }) => id)
  return new Set(paymentIds.length === 0 ? [] : await slipsToCheck(database, { userId, paymentIds }))
}

/** Asks the database only if the newest payment may be a refused transfer. */
async function readRefused({ database, name, seen }: Reading): Promise<RefusedTransfer | null> {
  const [newest] = seen.history.payments
  if (newest?.status !== 'canceled' || newest.method !== name) return null
  const found = await findTransfer(database, { userId: seen.session.userId, paymentId: newest.id })
  const reason = found?.transfer.state === 'refused' ? found.transfer.refusal : null
  return found && reason ? { reference: found.reference, reason } : null
}
