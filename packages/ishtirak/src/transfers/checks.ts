// What `doctor` and the page of health say of transfers.
import { type Check, ok } from '../acts/check.js'
import { DAY } from '../core/instant.js'
import type { TransferConfig } from './settings.js'

export function transferChecks({ transfers }: Pick<TransferConfig, 'transfers'>): readonly Check[] {
  if (!transfers) return [ok('transfers', 'transfers_off')]
  const kinds = transfers.accounts.map(({ kind }) => kind).join(', ')
  const days = String(transfers.lifetimeMs / DAY)
  const second = transfers.secondApprovalFrom
  return second === null
    ? [ok('transfers', 'transfers_one', { kinds, days })]
    : [ok('transfers', 'transfers_two', { kinds, days, amount: `${second} DZD` })]
}
