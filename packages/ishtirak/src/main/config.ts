// The whole configuration: what all parts share, and what capabilities and gateways read themselves.
import { type Capability, permissionsOf } from '../acts/capability.js'
import { CHARGILY, type ChargilyConfig } from '../checkout/gateways/chargily/settings.js'
import { type CommonConfig, readCommonConfig, readMountedCommonConfig } from '../runtime/config.js'
import { ConfigError } from '../runtime/config-file.js'
import { misspeltOf, type Settings, type Variables } from '../runtime/environment.js'
import { CAPABILITIES } from './capabilities.js'

type ConfigOf<One> = One extends { readonly settings?: Settings<infer Config> } ? Config : unknown
type ConfigsOf<List> = List extends readonly [infer First, ...infer Rest]
  ? ConfigOf<First> & ConfigsOf<Rest>
  : unknown

/** With all that capabilities read; one that is absent reads nothing. */
export type Config = CommonConfig & ChargilyConfig & ConfigsOf<typeof CAPABILITIES>

const GATEWAYS = [CHARGILY]

type Brings = readonly (Capability & { readonly settings?: Settings<unknown> })[]

const settingsOf = (capabilities: Brings) => capabilities.flatMap(({ settings = [] }) => settings)
const ownOf = (capabilities: Brings) => ({
  gateways: GATEWAYS,
  settings: settingsOf(capabilities),
  permissions: permissionsOf(capabilities),
})

const namesOf = (capabilities: Brings) =>
  [...settingsOf(capabilities), ...GATEWAYS].flatMap(({ variables }) => Object.keys(variables))

/** Variables of all capabilities and gateways. */
export const SETTINGS = namesOf(CAPABILITIES)

/** Throws `ConfigError` with everything that is wrong. */
export function readConfig(variables: Variables, capabilities: Brings = CAPABILITIES): Config {
  // What is read of the list has the type of the list.
  return readCommonConfig(variables, ownOf(capabilities)) as Config
}

/**
 * As `readConfig`, without the seller's key of a provider, and with an example in place of a file of the
 * seller that cannot be read: for a look at the rest. Null: more than that is wrong.
 */
export function readConfigOfNoSeller(variables: Variables, capabilities: Brings): Config | null {
  try {
    return readCommonConfig(variables, ownOf(capabilities), { ofNoSeller: true }) as Config
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

export function readMountedConfig(variables: Variables, host: { readonly identifies: boolean }): Config {
  return readMountedCommonConfig(variables, ownOf(CAPABILITIES), host) as Config
}

const OF_CAPABILITIES = settingsOf(CAPABILITIES)
/** The secrets of capabilities, by their names in the sandbox's file. */
export const SANDBOX_SECRETS = OF_CAPABILITIES.flatMap(({ sandboxSecrets = {} }) =>
  Object.keys(sandboxSecrets),
)

/** The settings that capabilities add in the sandbox. */
export function inSandbox(config: Config, secret: (name: string) => string): Partial<Config> {
  return Object.assign({}, ...OF_CAPABILITIES.map((one) => one.inSandbox?.(config, secret)))
}

/** Of what the sandbox has completed: its own key and secrets, by what they are for a platform. */
export function forPlatform(read: Config, completed: Config): Variables {
  const ofCapabilities = OF_CAPABILITIES.map((one) => one.forPlatform?.(read, completed))
  return Object.assign({ PLATFORM_API_KEY: completed.platformKeys.at(-1) }, ...ofCapabilities)
}

export const misspelt = (variables: Variables, capabilities: Brings = CAPABILITIES) =>
  misspeltOf(variables, namesOf(capabilities))
