// The whole configuration: what all parts share, and what capabilities and gateways read themselves.
import { type Capability, permissionsOf } from '../acts/capability.js'
import { CHARGILY, type ChargilyConfig } from '../checkout/gateways/chargily/settings.js'
import { COMMON, type CommonConfig, readCommonConfig, readMountedCommonConfig } from '../runtime/config.js'
import { misspeltOf, type Settings, type Variables } from '../runtime/environment.js'
import { CAPABILITIES } from './capabilities.js'

type ConfigOf<One> = One extends { readonly settings?: Settings<infer Config> } ? Config : unknown
type ConfigsOf<List> = List extends readonly [infer First, ...infer Rest]
  ? ConfigOf<First> & ConfigsOf<Rest>
  : unknown

/** Includes what capabilities read. An absent capability reads nothing. */
export type Config = CommonConfig & ChargilyConfig & ConfigsOf<typeof CAPABILITIES>

/** A configuration with a provider: outside the sandbox from the environment, in it the emulator. */
export interface WiredConfig extends Config {
  readonly chargily: NonNullable<Config['chargily']>
}

const GATEWAYS = [CHARGILY]

type Brings = readonly (Capability & { readonly settings?: Settings<unknown> })[]

const settingsOf = (capabilities: Brings) => capabilities.flatMap(({ settings = [] }) => settings)
const ownOf = (capabilities: Brings) => ({
  gateways: GATEWAYS,
  settings: settingsOf(capabilities),
  permissions: permissionsOf(capabilities),
})

const namesOf = (capabilities: Brings) =>
  [COMMON, ...settingsOf(capabilities), ...GATEWAYS].flatMap(({ variables }) => Object.keys(variables))

export const SETTINGS = namesOf(CAPABILITIES)

/** Throws `ConfigError` with everything that is wrong. */
export function readConfig(variables: Variables, capabilities: Brings = CAPABILITIES): Config {
  // The settings of this list give its part of `Config`.
  return readCommonConfig(variables, ownOf(capabilities)) as Config
}

/** Throws `ConfigError` with everything that is wrong, such as a missing key of the provider. */
export function readMountedConfig(variables: Variables, host: { readonly identifies: boolean }): WiredConfig {
  return readMountedCommonConfig(variables, ownOf(CAPABILITIES), host) as WiredConfig
}

const ALL_SETTINGS = settingsOf(CAPABILITIES)
/** The secrets of capabilities, by their names in the sandbox's file. */
export const SANDBOX_SECRETS = ALL_SETTINGS.flatMap(({ sandboxSecrets = {} }) => Object.keys(sandboxSecrets))

export function inSandbox(config: Config, secret: (name: string) => string): Partial<Config> {
  return Object.assign({}, ...ALL_SETTINGS.map((one) => one.inSandbox?.(config, secret)))
}

/** The sandbox's own key and secrets, as the variables that a platform is given. */
export function forPlatform(read: Config, completed: Config): Variables {
  const ofCapabilities = ALL_SETTINGS.map((one) => one.forPlatform?.(read, completed))
  return Object.assign({ PLATFORM_API_KEY: completed.platformKeys.at(-1) }, ...ofCapabilities)
}

export const misspelt = (variables: Variables, capabilities: Brings = CAPABILITIES) =>
  misspeltOf(variables, namesOf(capabilities))
