// The whole configuration: what all parts share, and what capabilities and gateways read themselves.
import type { AccountSettings } from '../checkout/gateways/chargily/account.js'
import { CHARGILY, chargilyAccount } from '../checkout/gateways/chargily/settings.js'
import {
  type Config as CommonConfig,
  readConfig as readCommon,
  readMountedConfig as readMounted,
} from '../runtime/config.js'
import { misspelt as misspeltOf, type Variables } from '../runtime/environment.js'
import { type TransferConfig, transferSettings } from '../transfers/transfer-file.js'

interface GatewayConfig {
  /** Null in the sandbox, which draws its own key. */
  readonly chargily: AccountSettings | null
}

export type Config = CommonConfig & TransferConfig & GatewayConfig

const GATEWAYS = [CHARGILY]

/** Variables of capabilities and gateways. */
export const SETTINGS = [transferSettings, ...GATEWAYS].flatMap(({ variables }) => Object.keys(variables))

const OWN = {
  gateways: GATEWAYS,
  settings: {
    variables: transferSettings.variables,
    read: (given: Variables): TransferConfig & GatewayConfig => ({
      ...transferSettings.read(given),
      chargily: chargilyAccount(given),
    }),
  },
}

/** Throws `ConfigError` with everything that is wrong. */
export const readConfig = (variables: Variables): Config => readCommon(variables, OWN)

export const readMountedConfig = (variables: Variables, host: { readonly identifies: boolean }): Config =>
  readMounted(variables, OWN, host)

export const misspelt = (variables: Variables) => misspeltOf(variables, SETTINGS)
