// BALANCE_MAX: the most that a user's balance may hold.
import { integerSetting, settingsOf } from '../runtime/environment.js'

export interface BalanceConfig {
  /** Whole dinars; 0 or unset: there are no balances. */
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
