// Balances as a capability: calls, acts, the payment method, portal parts, mail and jobs.
import type { Capability } from '../acts/capability.js'
import type { HistoryDeps } from '../checkout/history.js'
import type { ReturnDeps } from '../checkout/upgrade.call.js'
import type { UpgradeDeps } from '../checkout/upgrade.js'
import { HOUR, MINUTE } from '../core/instant.js'
import type { BringsMethods } from '../ledger/method.js'
import { balanceCalls } from './balance.call.js'
import { type BalanceActDeps, correctBalance, getUserBalance, payOutBalance } from './balance-acts.js'
import { type BuyDeps, createBalanceMethod, payByBalance } from './buy.js'
import { bookDueRenewals, checkOrders } from './order.js'
import { type BalancePagesDeps, balancePages } from './portal-part.js'
import { type RenewalMailDeps, renewalMails } from './renewal-mail.js'
import { type BalanceConfig, balanceSettings } from './settings.js'
import { balancePart } from './user-part.js'

const BOOKED_A_ROUND = 100

export const balance: Capability<
  UpgradeDeps & HistoryDeps & BuyDeps & BalanceActDeps & BalancePagesDeps & RenewalMailDeps & ReturnDeps,
  BalanceConfig
> &
  BringsMethods<Partial<BalanceConfig>> = {
  name: 'balance',
  settings: balanceSettings,
  // Also if balances are off, because older standing orders continue.
  methods: (_config, { live }) => [createBalanceMethod({ live })],
  acts: [correctBalance, payOutBalance],
  readings: [getUserBalance],
  userParts: (deps) => [balancePart(deps)],
  helpHeading: 'Money:',
  commandGroups: { balance: 'See, correct and pay out what a user has paid in' },
  events: ['balance.changed', 'balance.renewal_changed'],
  calls: balanceCalls,
  paysAtOnce: payByBalance,
  mails: renewalMails,
  portal: balancePages,
  jobs: (deps) => [
    {
      name: 'book-renewals',
      stage: 'find_out',
      everyMs: MINUTE,
      run: () => bookDueRenewals(deps, BOOKED_A_ROUND),
    },
    { name: 'check-orders', stage: 'announce', everyMs: HOUR, run: () => checkOrders(deps, BOOKED_A_ROUND) },
  ],
}
