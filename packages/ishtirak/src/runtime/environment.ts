// How capabilities, gateways and config.ts declare variables of the environment, with the allowed values in
// words. An error names the variable and never repeats the value, which may be a secret.
import Type, { type Static, type TObject, type TProperties } from 'typebox'
import { Value } from 'typebox/value'
import type { Permission } from '../core/role.js'
import { items, type OldSecret } from './old-secrets.js'

/** A text that matches `pattern`. `expects` completes the sentence "NAME must be …". */
export const textSetting = (expects: string, pattern = /^[^\0]+$/) =>
  Type.Optional(Type.String({ description: expects, pattern: pattern.source }))
export const integerSetting = (minimum: number, maximum: number) =>
  Type.Optional(
    Type.Integer({ minimum, maximum, description: `a whole number from ${minimum} to ${maximum}` }),
  )
/** A rule that no pattern can express. */
export const refined = (expects: string, fits: (value: string) => boolean) =>
  Type.Optional(Type.Refine(Type.String({ description: expects }), fits, () => expects))
export const timeZone = () => refined('a time zone such as Africa/Algiers', isTimeZone)
export const url = (expects: string, ...schemes: readonly string[]) =>
  refined(expects, (value) => URL.canParse(value) && schemes.includes(new URL(value).protocol))
export const web = () => url('an address that starts with http:// or https://', 'http:', 'https:')
const isOrigin = (value: string) =>
  /^https?:[^*]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value
export const origins = () =>
  refined('origins such as https://app.example, separated by commas', (value) => items(value).every(isOrigin))
/** A list separated by commas, with spaces around them allowed. */
export const listOf = (expects: string, one: RegExp) =>
  textSetting(`${expects}, separated by commas`, new RegExp(`^ *${one.source} *(, *${one.source} *)*$`))

export type Variables = Readonly<Record<string, string | undefined>>

export type Contradiction = readonly [isWrong: boolean, problem: string]
/** What the settings of a capability or gateway may use. */
export interface SettingsContext {
  readonly isSandbox: boolean
  /** The permissions that a role of operators may be given. */
  readonly permissions: readonly Permission[]
}

/** The variables that a capability, a gateway or all parts read. */
export interface Settings<Part> {
  readonly variables: TProperties
  /** Lists that consist of secrets. The service reports the last use of old ones. */
  readonly secretLists?: readonly string[]
  /** Old secrets of other lists, which are accepted but not used for new things. */
  oldSecrets?(given: Variables): readonly OldSecret[]
  /** Contradictions of valid values. This and the functions below get only valid values. */
  contradictions?(given: Variables, context: SettingsContext): readonly Contradiction[]
  /** Throws `ConfigError` with everything that is wrong. */
  read(given: Variables, context: SettingsContext): Part
  /** The names of secrets that the sandbox makes once, each with the variable that sets it elsewhere. */
  readonly sandboxSecrets?: Variables
  /** The settings that the sandbox adds: these secrets, and examples to try. */
  inSandbox?(read: Part, secret: (name: string) => string): Partial<Part>
  /** The variables that the sandbox prints for developers of a platform, from what it has added. */
  forPlatform?(read: Part, completed: Part): Variables
}

/** The settings of a payment gateway. */
export interface GatewaySettings<Part = unknown> extends Settings<Part> {
  /** The gateway is configured if this variable is set. */
  readonly key: string
  /** The smallest amount that it takes, in whole units of the currency. */
  readonly leastAmount: number
  /** Whether the key moves real money. */
  isLive(given: Variables): boolean
}

/**
 * An empty variable is unset: its value in IMAGE_DEFAULTS counts (NAME=value, separated by spaces), since
 * `--env-file` would empty a variable that an image sets itself.
 */
export function givenVariables(variables: Variables): Variables {
  const defaults = variables.IMAGE_DEFAULTS?.split(' ').map((pair) => pair.split('=', 2)) ?? []
  const given = Object.entries(variables).filter(([, value]) => value !== undefined && value.trim() !== '')
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(given) }
}

/** `read` gets the values by the types of the variables. */
export function settingsOf<Properties extends TProperties, Part>(
  variables: Properties,
  own: Omit<Settings<Part>, 'variables' | 'read'> & {
    read(values: Static<TObject<Properties>>, context: SettingsContext): Part
  },
): Settings<Part> {
  const valuesOf = (given: Variables) => readValues<Static<TObject<Properties>>>(variables, given).values
  return { ...own, variables, read: (given, context) => own.read(valuesOf(given), context) }
}

/** Parts `givenVariables` into those that fit their schemas, as they were given and as values, and others. */
export function readValues<Values>(properties: TProperties, variables: Variables) {
  const values: Record<string, unknown> = {}
  const fitting: Record<string, string> = {}
  const misfits = []
  for (const [name, schema] of Object.entries(properties)) {
    const given = variables[name]?.trim()
    if (given === undefined) continue
    const value =
      'type' in schema && schema.type === 'integer' && /^\d{1,9}$/.test(given) ? Number(given) : given
    if (Value.Check(schema, value)) {
      values[name] = value
      fitting[name] = given
    } else {
      const expects = 'description' in schema ? schema.description : 'something else'
      misfits.push({ name, problem: `${name} must be ${expects}` })
    }
  }
  return { values: values as Values, fitting, misfits }
}

const OF_COMMANDS = ['ISHTIRAK_URL', 'OPERATOR', 'OPERATOR_KEY']
/** Shorter names are too similar to other programs' variables, such as `HOSTS` and `PORTS`. */
const LENGTH_MIN = 7
const TYPOS_MAX = 2

/** Variables that no setting reads and whose names resemble one of ours, each with the nearest name. */
export function misspeltOf(
  variables: Variables,
  settings: readonly string[],
): readonly { readonly name: string; readonly nearest: string }[] {
  const known = [...settings, ...OF_COMMANDS]
  return Object.keys(variables).flatMap((name) => {
    if (known.includes(name) || name.length > 64) return []
    const bare = name.replace(/^ISHTIRAK_/, '')
    const [nearest] = known
      .filter((other) => bare !== name || Math.abs(other.length - name.length) <= TYPOS_MAX)
      .map((other) => ({ other, distance: distanceBetween(bare, other) }))
      .sort((a, b) => a.distance - b.distance)
    if (!nearest) return []
    const isNear = nearest.distance <= TYPOS_MAX && nearest.other.length >= LENGTH_MIN
    return isNear || bare !== name ? [{ name, nearest: nearest.other }] : []
  })
}

/** Levenshtein's distance: the number of characters added, removed or changed. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [line, character] of [...one].entries()) {
    const next = [line + 1]
    for (let column = 1; column <= other.length; column++) {
      const changed = (row[column - 1] ?? 0) + (character === other[column - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}

/** True if the address is encrypted or on this machine. */
export function isPrivateEnough(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isThisMachine(hostname)
}

/** `hostname` is the one of an address. */
export function isThisMachine(hostname: string): boolean {
  return ['localhost', '[::1]'].includes(hostname) || /^127(\.\d+){3}$/.test(hostname)
}
