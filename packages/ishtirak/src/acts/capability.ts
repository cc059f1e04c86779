// A capability is one object with all that it adds to the service, in the list of main/capabilities.ts.
// Without its line in that list the service builds and has no trace of it. The frames (HTTP, command line,
// console, portal, schedule) know these kinds of parts, and no capability by name.
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

/** `Deps`: the parts that it reads; `main/wire.ts` passes all. `Config`: its settings, among them. */
export interface Capability<Deps = never, Config = unknown> {
  readonly name: string
  readonly settings?: Settings<Config>
  readonly acts?: readonly Act<Deps>[]
  readonly readings?: readonly Reading<Deps>[]
  /** Lists over all users, for the platform's key. */
  readonly platformReadings?: readonly Reading<Deps>[]
  /** The descriptions of its groups of commands, for `--help`. */
  readonly commandGroups?: Readonly<Record<string, string>>
  /** `--help` lists its commands under this heading; under `Operate:` if absent. */
  readonly helpHeading?: 'Money:' | 'Run:'
  /** Readings that depend on the kinds of entries in the inbox. */
  readonly inboxReadings?: (inbox: readonly InboxKind[]) => readonly Reading<Deps>[]
  readonly inbox?: readonly InboxKind[]
  /** Reads a reference of its payments as an operator typed it; null: it is not a reference. */
  readonly readReference?: (typed: string) => string | null
  /** Adds commands that are more than an act or a reading. `events` are the types of all capabilities. */
  readonly commands?: (program: Command, host: CommandHost, events: readonly EventType[]) => void
  readonly paymentParts?: (deps: Deps) => readonly PaymentPart[]
  readonly userParts?: (deps: Deps) => readonly UserPart[]
  /** Adds pages of the console that are more than the form of an act. */
  readonly console?: (app: App, pages: ConsolePages & Deps & ConsoleParts<Deps>) => void
  readonly sections?: readonly ConsoleSection[]
  readonly health?: (pages: ConsolePages & Deps, view: View) => Promise<JSX.Element>
  /** Calls of users, and of the platform or a host for them. */
  readonly calls?: readonly UserCall<Deps>[]
  /** Adds routes that are more than a call, such as that of the provider's events. */
  readonly routes?: (deps: Deps) => (app: App) => Promise<void>
  readonly jobs?: (deps: Deps) => readonly Job[]
  /** The types of events that it sends to the platform. Two capabilities may send the same type. */
  readonly events?: readonly EventType[]
  /** Events that are about no user, by their types. The capability sends them itself. */
  readonly notices?: Readonly<Record<string, { readonly meaning: string; readonly schema: object }>>
  readonly mails?: (deps: Deps) => readonly MailWriter[]
  readonly discount?: (deps: Deps) => DiscountSource
  readonly paysAtOnce?: (deps: Deps) => PaysAtOnce
  readonly portal?: PortalKinds<Deps>
}

export interface ConsoleParts<Deps> {
  readonly acts: readonly Act<Deps>[]
  readonly healthCards: readonly ((view: View) => Promise<JSX.Element>)[]
}

/** Codes that users type to lower a price. */
export interface DiscountSource {
  /** Null: the code does not lower the price. */
  lookUp(of: {
    readonly userId: string
    readonly typed: string
    readonly methods: readonly string[]
  }): Promise<CodeFacts | null>
  /** Runs `work`, which uses a typed code. A wrong code counts as a try, and tries are limited. */
  countTry<Result>(userId: string, work: () => Promise<Result>): Promise<Result>
}

/** A method whose purchase is already paid when the call returns. */
export interface PaysAtOnce {
  readonly method: string
  buy(
    of: { readonly user: Actor; readonly requestId?: string },
    wanted: Pick<Wanted, 'planId' | 'start' | 'poNumber'> & {
      readonly months?: number
      readonly metadata?: Metadata | undefined
      readonly code: string | undefined
      /** The price that a page showed, in dinars. A purchase that costs more is refused. */
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

/** All permissions that a role can have: the acts, and the readings that not every role may read. */
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
  const sent = new Set(capabilities.flatMap(({ events = [] }) => events))
  return EVENT_TYPES.filter((type) => sent.has(type))
}

/** Sorted by place, the first on top. */
export function inboxOf(capabilities: readonly Pick<Capability, 'inbox'>[]): readonly InboxKind[] {
  return capabilities.flatMap(({ inbox = [] }) => inbox).sort((one, other) => one.place - other.place)
}
