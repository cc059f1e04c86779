// What a capability brings to the service: one object for each, in the list of main/capabilities.ts. Without
// its line in that list the service builds and has no trace of it. The frames (HTTP, command line, console,
// portal, schedule) know these kinds of things, and no capability by name.
import type { Command } from 'commander'
import type { CodeFacts } from '../core/code.js'
import { EVENT_TYPES, type EventType } from '../core/event-types.js'
import type { Metadata } from '../core/payment.js'
import type { Actor } from '../core/person.js'
import type { Wanted } from '../core/quote.js'
import type { Permission } from '../core/role.js'
import type { App } from '../http/app.js'
import type { ConsolePages, ConsoleSection, View } from '../pages/console-frame.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import type { Settings } from '../runtime/environment.js'
import type { Job } from '../runtime/job.js'
import type { Act } from './act.js'
import type { PaymentPart, UserPart } from './file-parts.js'
import type { InboxKind } from './inbox-kind.js'
import type { MailWriter } from './mail-writer.js'
import type { CommandHost } from './operator-client.js'
import type { Reading } from './reading.js'
import type { UserCall } from './user-call.js'

/**
 * `Deps`: the parts of the service that it reads; `main/wire.ts` hands all of them over. `Config`: what it
 * reads of the environment, which is among them.
 */
export interface Capability<Deps = never, Config = unknown> {
  readonly name: string
  /** Variables that nothing knows without it. */
  readonly settings?: Settings<Config>
  /** What operators do, and what they read. */
  readonly acts?: readonly Act<Deps>[]
  readonly readings?: readonly Reading<Deps>[]
  /** Lists over all users, for the platform's key. */
  readonly platformReadings?: readonly Reading<Deps>[]
  /** In words, what its groups of commands are for. */
  readonly commandGroups?: Readonly<Record<string, string>>
  /** Under which heading `--help` lists these and its readings; `Operate:` where it says none. */
  readonly helpHeading?: 'Money:' | 'Run:'
  /** Readings of the whole inbox. */
  readonly inboxReadings?: (inbox: readonly InboxKind[]) => readonly Reading<Deps>[]
  /** Kinds of things that wait for an operator. */
  readonly inbox?: readonly InboxKind[]
  /** A reference of its payments as it is stored, from what an operator typed. Null: it is none. */
  readonly readReference?: (typed: string) => string | null
  /** Commands that are more than an act or a reading; `events` are those of all capabilities. */
  readonly commands?: (program: Command, host: CommandHost, events: readonly EventType[]) => void
  /** What it adds to everything known of a payment, and of a user. */
  readonly paymentParts?: (deps: Deps) => readonly PaymentPart[]
  readonly userParts?: (deps: Deps) => readonly UserPart[]
  /** Pages of the console that are more than the form of an act. */
  readonly console?: (app: App, pages: ConsolePages & Deps & BroughtToConsole<Deps>) => void
  /** Pages that every page of the console leads to. */
  readonly sections?: readonly ConsoleSection[]
  /** Its card on the page of health. */
  readonly health?: (pages: ConsolePages & Deps, view: View) => Promise<JSX.Element>
  /** What users do and read, and what the platform or a host does and reads for them. */
  readonly calls?: readonly UserCall<Deps>[]
  /** Routes that are more than a call, such as that of the provider's events. */
  readonly routes?: (deps: Deps) => (app: App) => Promise<void>
  /** Jobs that run by themselves. */
  readonly jobs?: (deps: Deps) => readonly Job[]
  /** The types of events that it sends to the platform. Several capabilities may send one type. */
  readonly events?: readonly EventType[]
  /** Events that are about no user, by their types. The capability sends them itself. */
  readonly notices?: Readonly<Record<string, { readonly meaning: string; readonly schema: object }>>
  /** Writers of its mail to users. */
  readonly mails?: (deps: Deps) => readonly MailWriter[]
  /** What takes something off a price. */
  readonly discount?: (deps: Deps) => DiscountSource
  /** A way to pay without a page, and without waiting. */
  readonly paysAtOnce?: (deps: Deps) => PaysAtOnce
  /** Its parts of the users' pages. */
  readonly portal?: PortalKinds<Deps>
}

/** The parts that all capabilities add to the console. */
export interface BroughtToConsole<Deps> {
  readonly acts: readonly Act<Deps>[]
  /** The cards of the health page. */
  readonly healthCards: readonly ((view: View) => Promise<JSX.Element>)[]
}

/** A user types something in, and the price is less. */
export interface DiscountSource {
  /** Null: it takes nothing off. */
  lookUp(of: {
    readonly userId: string
    readonly typed: string
    readonly methods: readonly string[]
  }): Promise<CodeFacts | null>
  /** Runs what was asked for with something typed in: a wrong one is a try, and tries are counted. */
  countTry<Result>(userId: string, work: () => Promise<Result>): Promise<Result>
}

/** What is bought with it is paid when the call is answered. */
export interface PaysAtOnce {
  /** The method as callers name it. */
  readonly method: string
  buy(
    of: { readonly user: Actor; readonly requestId?: string },
    wanted: Pick<Wanted, 'planId' | 'start' | 'poNumber'> & {
      readonly months?: number
      readonly metadata?: Metadata | undefined
      /** As it was typed. */
      readonly code: string | undefined
      /** Whole dinars that a page showed: nothing is bought that costs more. Absent: no page did. */
      readonly shown?: number | undefined
    },
  ): Promise<{ readonly paymentId: string }>
}

export function actsOf<Deps>(capabilities: readonly Capability<Deps>[]): readonly Act<Deps>[] {
  return capabilities.flatMap(({ acts = [] }) => acts)
}

export function readingsOf<Deps>(capabilities: readonly Capability<Deps>[]): readonly Reading<Deps>[] {
  const inbox = inboxOf(capabilities)
  return capabilities.flatMap(({ readings = [], inboxReadings }) => [
    ...readings,
    ...(inboxReadings?.(inbox) ?? []),
  ])
}

/** Whatever a role may be given: the acts, and the readings that not every role may read. */
export function permissionsOf(capabilities: readonly Capability<never>[]): readonly Permission[] {
  const limited = readingsOf(capabilities).flatMap(({ name, roles }) =>
    name && roles ? [{ name, roles }] : [],
  )
  const all: readonly Permission[] = [...actsOf(capabilities), ...limited]
  const named = new Map(
    all.flatMap((one) => [one, ...(one.bound ? [one.bound.beyond] : [])]).map((one) => [one.name, one]),
  )
  return [...named.values()]
}

/** Sorted by the order of a subscription's life. */
export function eventsOf(capabilities: readonly Pick<Capability, 'events'>[]): readonly EventType[] {
  const brought = new Set(capabilities.flatMap(({ events = [] }) => events))
  return EVENT_TYPES.filter((type) => brought.has(type))
}

/** Sorted by place, the first on top. */
export function inboxOf(capabilities: readonly Pick<Capability, 'inbox'>[]): readonly InboxKind[] {
  return capabilities.flatMap(({ inbox = [] }) => inbox).sort((one, other) => one.place - other.place)
}
