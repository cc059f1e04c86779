// The whole configuration: what all parts of the service share, and what capabilities read of the environment themselves.
import {
  type Config as CommonConfig,
  readConfig as readCommon,
  readMountedConfig as readMounted,
} from '../runtime/config.js'
import { misspelt as misspeltOf, type Variables } from '../runtime/environment.js'
import { type TransferConfig, transferSettings } from '../transfers/transfer-file.js'

export type Config = CommonConfig & TransferConfig

/** Those of capabilities. */
export const SETTINGS = Object.keys(transferSettings.variables)

/** Throws `ConfigError` with everything that is wrong. */
export const readConfig = (variables: Variables): Config => readCommon(variables, transferSettings)

export const readMountedConfig = (variables: Variables, host: { readonly identifies: boolean }): Config =>
  readMounted(variables, transferSettings, host)

export const misspelt = (variables: Variables) => misspeltOf(variables, SETTINGS)
