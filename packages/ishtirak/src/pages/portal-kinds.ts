// The parts that a capability adds to users' pages.
import type { BuyerDetails } from '../core/buyer-details.js'
import type { BillingError, ErrorCode } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { LimitDefinition, LimitWindow, OverLimit, Usage } from '../core/limit.js'
import type { Locale } from '../core/locale.js'
import type { Payment, ShownPayment } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import type { Renewal } from '../core/quote.js'
import type { Operator } from '../core/role.js'
import type { Subscription, SubscriptionFacts } from '../core/subscription.js'
import type { TimeEntry } from '../core/time-list.js'
import type { App } from '../http/app.js'
import type { MessageKey, Say } from '../i18n/messages.js'
import type { Message } from './message-pages.js'
import type { OrderField, PageParts, Pages, SentForm, ShownMethod } from './portal-frame.js'
import type { ReadOnlySession, Session } from './reader.js'

export interface PortalKinds<Deps> {
  readonly routes?: (app: App, pages: Pages & Deps) => void
  readonly shownMethods?: (deps: Deps) => readonly ShownMethod[]
  /** A further field on the page of an order; null: none is needed here. */
  readonly orderField?: (deps: Deps) => OrderField | null
  /** The paths of the pages that its part renders, behind `/portal/`. */
  readonly paths?: readonly string[]
  /** Reads its part of the page, after the frame and one part after the other. */
  readonly read?: (deps: PageParts & Deps, seen: SeenPortal) => Promise<PortalPart>
  /** The pages after its forms, by the name of the saved field. */
  readonly answers?: Readonly<Record<string, Answer<Deps>>>
  readonly refusals?: Readonly<Partial<Record<ErrorCode, RefusalWords<Deps>>>>
}

/** What the frame has read for the portal of one user. */
export interface SeenPortal {
  readonly session: Session | ReadOnlySession
  readonly overview: {
    readonly facts: SubscriptionFacts
    /** Null: no details were given. */
    readonly buyer: BuyerDetails | null
    readonly subscription: Subscription
    /** Null when there is nothing to buy. */
    readonly renewal: Renewal | null
    /** The checkout that can be paid now. */
    readonly pendingPayment: Payment | null
    readonly limits: readonly LimitDefinition[]
    readonly usage: Usage
    readonly overLimits: readonly OverLimit[]
    /** When the counters of a day, and of a month, count from zero again. */
    readonly resetsAt: Readonly<Record<LimitWindow, Instant>>
    readonly now: Instant
  }
  /** A page of it, newest first. */
  readonly history: {
    readonly payments: readonly ShownPayment[]
    /** Null: there is no further page. */
    readonly nextCursor: string | null
    readonly now: Instant
  }
  /** All time that was paid or granted, in order. */
  readonly timeList: readonly TimeEntry[]
  /** True on an older page of the history. */
  readonly isOlder: boolean
  /** The path of the page behind `/portal/`; empty: the first page. */
  readonly page: string
  /** A parameter of the page's query; null: it is missing. */
  asked(name: string): string | null
  /** The form of this page that was refused; null: none was. */
  readonly sent: SentForm | null
}

export interface PartView extends SeenPortal {
  readonly locale: Locale
  readonly parts: readonly PortalPart[]
}

export interface PartSection {
  readonly pages: PageParts
  readonly view: PartView
  readonly say: Say
}

type Render = (section: PartSection) => JSX.Element | null

/** A page to which the first page links. */
export interface OwnPage {
  /** The path below `/portal/`. */
  readonly path: string
  readonly title: MessageKey
  /** The text beside the link, such as the amount of the balance. */
  readonly note?: (locale: Locale) => string
  /** Absent: its capability serves the page itself. */
  readonly render?: Render
}

/** The places of the portal, from the top. */
export type Place =
  | 'news' // what was done just now
  | 'open' // open payments
  | 'problems' // such as a payment under review
  | 'state' // notes at the plan, such as that it renews by itself
  | 'warnings'
  | 'usage' // of the limits
  | 'recent' // the last lines of the first page
  | 'lists' // on the page of the payments

/** What one capability shows on the page of one user, each at its place. */
export interface PortalPart extends Readonly<Partial<Record<Place, Render>>> {
  readonly pages?: readonly OwnPage[]
  /** The documents at the end of a line in the list of time. */
  readonly document?: (section: PartSection, time: GivenEntry) => JSX.Element | null
  /** The links at the end of a payment's line in the history. */
  readonly line?: (section: PartSection, payment: ShownPayment) => JSX.Element | null
  /** Payments that operators check. Meanwhile nothing invites to pay. */
  readonly checked?: CheckedPayments
  /** True while a payment is open that has no page at a provider. */
  readonly isOpen?: boolean
}

type GivenEntry = Exclude<TimeEntry, { readonly by: 'gap' }>

export interface CheckedPayments {
  readonly ids: ReadonlySet<string>
  readonly badge: MessageKey
  /** Why nothing can be bought meanwhile. */
  readonly why: MessageKey
  /** The text for a user in grace. */
  readonly pastDue: MessageKey
}

export function isUnderReview({ history, isOlder }: SeenPortal): boolean {
  return !isOlder && history.payments[0]?.status === 'review'
}

/**
 * Readers are not invited to pay, and no user is while a payment is under review or is checked by operators:
 * they are asked not to pay again. While a payment is open, only the page of the plans invites to pay.
 */
export function mayInvite(view: PartView): boolean {
  if (!mayOrder(view.session) || isUnderReview(view) || checkedIn(view).length > 0) return false
  return view.page === PLANS || !isPaymentOpen(view)
}

export const PLANS = 'plans'

export function isPaymentOpen({ overview: { pendingPayment }, parts }: PartView): boolean {
  return (pendingPayment?.checkoutUrl ?? null) !== null || parts.some(({ isOpen }) => isOpen)
}

export function checkedIn({ parts }: PartView): readonly CheckedPayments[] {
  return parts.flatMap(({ checked }) => checked ?? [])
}

export interface Answered {
  readonly session: Session
  readonly locale: Locale
  /** As it was typed. */
  readonly value: string
}

type Answer<Deps> = (pages: Pages & Deps, answered: Answered) => Promise<string>

/** Words for users, instead of those for developers. */
interface RefusalWords<Deps> {
  /** It reads nothing, because showing a refusal must not fail. */
  readonly words?: (error: BillingError, locale: Locale, say: Say) => Partial<Message>
  readonly form?: {
    /** The field of the refused form that the page needs. */
    readonly keeps: string
    readonly page: (pages: Pages & Deps, answered: Answered) => Promise<Partial<Message>>
  }
}

/** Gives the page; throws `not_found`. */
export type ViewAsUser = (of: {
  readonly userId: string
  readonly operator: Operator
  readonly requestId: string
  readonly style: string
  readonly safeStart: JSX.Element
}) => Promise<string>
