// The faults that can be switched on, in one table: each with its settings and their limits. A fault stays on
// until it is cleared, or for `times` uses. What a fault does is in deliveries.ts and api-faults.ts.
import { EmulatorError } from './errors.js'

type Setting =
  | { readonly min: number; readonly max: number; readonly default: number }
  | { readonly of: readonly string[]; readonly default: string }
  | { readonly flag: false }

/** For longer waits there is the clock. */
const DAY_SECONDS = 86_400
/** No client waits longer than a minute for one answer. */
const MINUTE_MS = 60_000
const API_SCOPE = { of: ['any', 'create_checkout', 'expire_checkout'], default: 'any' } as const

/** Faults of events are drawn once, when the event is made; faults of the API once for each call. */
const FAULTS = {
  /** The event is stored but not sent; `resend` still can. */
  drop: {},
  delay: { seconds: { min: 0, max: DAY_SECONDS, default: 30 } },
  /** `count` further copies, with the same event id or each with its own. */
  duplicate: { count: { min: 1, max: 100, default: 1 }, new_event_id: { flag: false } },
  reorder: {
    order: { of: ['webhook_before_redirect', 'failed_after_paid'], default: 'webhook_before_redirect' },
  },
  bad_signature: { kind: { of: ['wrong', 'missing', 'garbage'], default: 'wrong' } },
  /** Signed with the last of the account's keys; if there is only one, with a key that was never accepted. */
  old_key: {},
  /** The body parsed and written again: same meaning, other bytes, the original's signature. */
  reserialised_body: {},
  truncated_body: { signed: { flag: false } },
  wrong_amount: { amount: { min: 0, max: 1_000_000_000, default: 50 } },
  wrong_currency: { currency: { of: ['usd', 'eur', 'DZD'], default: 'usd' } },
  wrong_mode: {},
  /** A new checkout is not as ordered, and every answer about it shows so. */
  false_checkout: {
    what: {
      of: [
        'amount',
        'currency',
        'mode',
        'payment_id',
        'no_metadata',
        'no_address',
        'script_address',
        /** None is made: the answer is the newest there is. */
        'another_checkout',
      ],
      default: 'amount',
    },
    amount: { min: 0, max: 1_000_000_000, default: 20_000 },
  },
  /** `processing` until then, although the payer is redirected already. */
  processing: { seconds: { min: 0, max: DAY_SECONDS, default: 5 } },
  /** Whether an unpaid checkout ends as `canceled` instead of `expired` is not documented. */
  expire_as_canceled: {},
  api_429: { retry_after: { min: 0, max: DAY_SECONDS, default: 15 }, scope: API_SCOPE },
  api_5xx: { status: { min: 500, max: 599, default: 500 }, scope: API_SCOPE },
  /** Nothing is made, and the connection breaks after `hang_ms`. */
  api_timeout_before: { hang_ms: { min: 0, max: MINUTE_MS, default: 0 }, scope: API_SCOPE },
  /** The checkout is made, and the answer is lost. */
  api_timeout_after: { hang_ms: { min: 0, max: MINUTE_MS, default: 0 } },
  api_slow: { ms: { min: 0, max: MINUTE_MS, default: 1000 }, scope: API_SCOPE },
} as const satisfies Record<string, Record<string, Setting>>

export type CallScope = (typeof API_SCOPE)['of'][number]

export type FaultName = keyof typeof FAULTS

type ValueOf<S> = S extends { of: readonly (infer Choice)[] }
  ? Choice
  : S extends { flag: false }
    ? boolean
    : number

/** The settings of one fault; those left out have the defaults of the table. */
export type FaultSettings<Name extends FaultName = FaultName> = {
  -readonly [Key in keyof (typeof FAULTS)[Name]]?: ValueOf<(typeof FAULTS)[Name][Key]>
} & { /** Uses left; without it the fault stays on. */ times?: number }

/** Null is off. */
export type Faults = { [Name in FaultName]: FaultSettings<Name> | null }

type Chosen<Name extends FaultName> = {
  readonly [Key in keyof (typeof FAULTS)[Name]]: ValueOf<(typeof FAULTS)[Name][Key]>
}

/** By JSON path: what is wrong with it. */
type FaultProblems = Record<string, string[]>

type AnySettings = Record<string, unknown> & { times?: number }

export class FaultSwitches {
  readonly #on = new Map<string, AnySettings>()

  /** Sets what is named and leaves the rest. `true` means with its defaults; null and `false` switch off. */
  set(wanted: unknown): void {
    const problems = this.problemsOf(wanted)
    const [first] = Object.values(problems)
    if (first) throw new EmulatorError(first.join(' '))
    for (const [name, settings] of entriesOf(wanted)) {
      if (settings === null || settings === false) this.#on.delete(name)
      else this.#on.set(name, settings === true ? {} : Object.fromEntries(entriesOf(settings)))
    }
  }

  problemsOf(wanted: unknown): FaultProblems {
    if (!isObject(wanted)) return { faults: ['The faults must be an object.'] }
    return Object.fromEntries(
      Object.entries(wanted)
        .map(([name, settings]) => [name, problemsOfFault(name, settings)] as const)
        .filter(([, problems]) => problems.length > 0),
    )
  }

  clear(): void {
    this.#on.clear()
  }

  current(): Faults {
    const all = Object.keys(FAULTS).map((name) => [name, this.#on.get(name) ?? null])
    // `fromEntries` loses the names; `set` accepts only those of the table.
    return structuredClone(Object.fromEntries(all)) as Faults
  }

  /** The settings with their defaults if the fault is on, counting one use; otherwise null. */
  use<Name extends FaultName>(name: Name): Chosen<Name> | null {
    const settings = this.#on.get(name)
    if (settings === undefined) return null
    if (settings.times !== undefined && --settings.times <= 0) this.#on.delete(name)
    return withDefaults(name, settings)
  }

  /** As `use`, for the faults of the API that can be limited to one kind of call. */
  useWithin<Name extends FaultName>(name: Name, scope: CallScope): Chosen<Name> | null {
    const only = this.#on.get(name)?.scope ?? 'any'
    return only === 'any' || only === scope ? this.use(name) : null
  }
}

function withDefaults<Name extends FaultName>(name: Name, settings: AnySettings): Chosen<Name> {
  const chosen = Object.entries<Setting>(FAULTS[name]).map(([key, setting]) => [
    key,
    settings[key] ?? ('flag' in setting ? setting.flag : setting.default),
  ])
  // The table gives the type, and `problemsOf` has checked each value against the same table.
  return Object.fromEntries(chosen) as Chosen<Name>
}

function problemsOfFault(name: string, settings: unknown): string[] {
  if (!isFaultName(name)) return [`There is no fault named ${name}.`]
  if (settings === null || typeof settings === 'boolean') return []
  if (!isObject(settings)) return [`${name} must be an object, a boolean or null.`]
  const known: Record<string, Setting> = { ...FAULTS[name], times: { min: 1, max: 1_000_000, default: 1 } }
  return Object.entries(settings).flatMap(([key, value]) =>
    problemOfSetting(`${name}.${key}`, known[key], value),
  )
}

function problemOfSetting(path: string, setting: Setting | undefined, value: unknown): string[] {
  if (setting === undefined) return [`${path} is not a setting.`]
  if (value === undefined) return []
  if ('flag' in setting) return typeof value === 'boolean' ? [] : [`${path} must be true or false.`]
  if ('of' in setting)
    return setting.of.some((choice) => choice === value)
      ? []
      : [`${path} must be one of ${setting.of.join(', ')}.`]
  const inRange = Number.isInteger(value) && Number(value) >= setting.min && Number(value) <= setting.max
  return inRange ? [] : [`${path} must be an integer from ${setting.min} to ${setting.max}.`]
}

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
