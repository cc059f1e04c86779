// The configuration of this service: what all of it reads, and what each gateway reads of its own.
import { CHARGILY, chargilyAccount } from '../payments/chargily/settings.js'
import * as runtime from '../runtime/config.js'
import * as environment from '../runtime/environment.js'

const GATEWAYS = [CHARGILY]
/** Of every variable. */
export const VARIABLES = environment.variableNames(GATEWAYS)

export type Config = ReturnType<typeof readConfig>

/** Throws `ConfigError` with everything that is wrong. */
export function readConfig(variables: environment.Variables) {
  return withGateways(runtime.readConfig(variables, GATEWAYS), variables)
}

export function readMountedConfig(
  variables: environment.Variables,
  host: { readonly identifies: boolean },
): Config {
  return withGateways(runtime.readMountedConfig(variables, GATEWAYS, host), variables)
}

function withGateways(config: runtime.Config, variables: environment.Variables) {
  // Null in the sandbox, which draws its own key.
  return { ...config, chargily: chargilyAccount(environment.givenVariables(variables)) }
}

/** Names that are set and that nothing reads, with the name that may be meant. */
export function misspelt(variables: environment.Variables) {
  return environment.misspelt(variables, VARIABLES)
}
