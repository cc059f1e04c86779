// BALANCE_MAX: how much a user may have paid in.
import { integerSetting, settingsOf } from '../runtime/environment.js'

export interface BalanceConfig {
  /** Whole dinars; 0, and where it is not set: there are no balances. */
  readonly balanceMax: number | undefined
}

const SANDBOX_MAX = 100_000

export const balanceSettings = settingsOf(
  { BALANCE_MAX: integerSetting(0, 100_000_000) },
  {
    read: ({ BALANCE_MAX: balanceMax }): BalanceConfig => ({ balanceMax }),
    inSandbox: ({ balanceMax }) => ({ balanceMax: balanceMax ?? SANDBOX_MAX }),
  },
)
