// An account to which users transfer money, as it is shown: its kind, and each value with what it is.
import type { Account } from '../core/account.js'
import type { MessageKey, Say } from '../i18n/messages.js'

export const ACCOUNT_KINDS: Readonly<Record<Account['kind'], MessageKey>> = {
  ccp: 'transferCcp',
  baridimob: 'transferBaridimob',
  bank: 'transferBank',
}

export function accountInWords({ kind, holder, number, key, rip, bank, iban }: Account, say: Say) {
  const numbers = { ccp: say('accountNumber'), baridimob: 'RIP', bank: 'RIB' }
  const lines = [
    [say('accountHolder'), holder],
    [numbers[kind], number],
    [say('accountKey'), key],
    ['RIP', rip],
    ['IBAN', iban],
  ] as const
  return {
    title: bank === null ? say(ACCOUNT_KINDS[kind]) : `${say(ACCOUNT_KINDS[kind])} · ${bank}`,
    lines: lines.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const])),
  }
}
