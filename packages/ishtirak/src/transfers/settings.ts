// Reads TRANSFER_FILE. Money that goes to a mistyped account is gone: every number with check digits is
// checked, and what is wrong is reported with its place.
import { type Static, Type } from 'typebox'
import { type Check, ok } from '../acts/check.js'
import type { Account, AccountKind } from '../core/account.js'
import { DAY, HOUR } from '../core/instant.js'
import { query } from '../http/schemas.js'
import { fitting, parseJson, type Rule, readText, refuseBroken } from '../runtime/config-file.js'
import { integerSetting, settingsOf, textSetting } from '../runtime/environment.js'
import { ccpKey, isIban, isRib, ripOfCcp } from './check-digits.js'

const NAME = 'TRANSFER_FILE'

export type TransferTerms = ReturnType<typeof toTerms>

export type TransferConfig = ReturnType<typeof transferSettings.read>

export const transferSettings = settingsOf(
  { TRANSFER_FILE: textSetting('a file'), PROOF_DAYS: integerSetting(1, 3_650) },
  {
    read: ({ TRANSFER_FILE: file, PROOF_DAYS: proofDays = 90 }) => ({
      /** Null: there are no transfers. */
      transfers: file === undefined ? null : parseTransfers(readText(NAME, file)),
      /** How long a proof is kept after the decision. */
      proofDays,
    }),
    inSandbox: ({ transfers }) => ({ transfers: transfers ?? EXAMPLE_TRANSFERS }),
  },
)

export function transferChecks({ transfers }: Pick<TransferConfig, 'transfers'>): readonly Check[] {
  if (!transfers) return [ok('transfers', 'transfers_off')]
  const kinds = transfers.accounts.map(({ kind }) => kind).join(', ')
  const days = String(transfers.lifetimeMs / DAY)
  const second = transfers.secondApprovalFrom
  return second === null
    ? [ok('transfers', 'transfers_one', { kinds, days })]
    : [ok('transfers', 'transfers_two', { kinds, days, amount: `${second} DZD` })]
}

/** `text` is JSON of the form of docs/transfer.example.json. */
export function parseTransfers(text: string): TransferTerms {
  const value = fitting(NAME, TransferFile, parseJson(NAME, text))
  const rules = value.accounts.flatMap((account, index) => rulesOf(account, `/accounts/${index}`))
  refuseBroken(NAME, rules)
  return toTerms(value)
}

const words = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^\\S(.*\\S)?$',
    description: 'a text without spaces around it',
  })
/** Digits in groups, as people write them. */
const digits = (least: number, most: number) =>
  Type.String({
    pattern: `^(\\d[ .-]?){${least - 1},${most - 1}}\\d$`,
    description:
      `${least === most ? least : `${least} to ${most}`} digits, with no more than spaces, points ` +
      `or hyphens between them`,
  })

const AccountFields = query({
  kind: Type.Enum<AccountKind[]>(['ccp', 'baridimob', 'bank']),
  holder: words(80),
  number: digits(3, 20),
  key: Type.Optional(digits(2, 2)),
  rip: Type.Optional(digits(20, 20)),
  bank: Type.Optional(words(80)),
  iban: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}\\d{2} ?([A-Z0-9] ?){11,30}$',
      description: 'an IBAN: two capitals, two check digits, then capitals and digits',
    }),
  ),
})

const TransferFile = query({
  accounts: Type.Array(AccountFields, { minItems: 1, maxItems: 20 }),
  expires_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
  checked_within_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 336 })),
  second_approval_from: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  statements: Type.Optional(query({ payout_words: Type.Optional(Type.Array(words(80), { maxItems: 20 })) })),
})

type AccountFields = Static<typeof AccountFields>
const FOREIGN = {
  ccp: ['bank', 'iban'],
  baridimob: ['key', 'rip', 'bank', 'iban'],
  bank: ['key', 'rip'],
} as const

/**
 * Checks fields against each other, which the schema cannot. The right key is not named, because the number
 * may be the wrong one.
 */
function rulesOf(account: AccountFields, place: string): readonly Rule[] {
  const { kind } = account
  const number = bare(account.number)
  const [key, rip, iban] = [account.key, account.rip, account.iban].map((one) => one && bare(one))
  const rule = (field: keyof AccountFields, isBroken: boolean, words: string): Rule => {
    return [isBroken, `${place}/${field}`, words]
  }
  const foreign = FOREIGN[kind].map((field) =>
    rule(field, account[field] !== undefined, `is not for ${kind}`),
  )
  if (kind === 'ccp') {
    const isCcp = number.length <= 10
    const isWrong = isCcp && key !== undefined && key !== ccpKey(number)
    return [
      ...foreign,
      rule('number', !isCcp, 'a CCP has at most 10 digits, its key stands in /key'),
      rule('key', key === undefined, 'is missing: the two check digits of the CCP'),
      rule('key', isWrong, 'is not the key of this CCP number: one of the two is wrong'),
      rule(
        'rip',
        isCcp && rip !== undefined && rip !== ripOfCcp(number),
        'is not the RIP of this CCP number',
      ),
    ]
  }
  const name = kind === 'baridimob' ? 'a RIP' : 'a RIB'
  const isWhole = number.length === 20
  const isOther = iban?.startsWith('DZ') && iban.length === 24 && !iban.endsWith(number)
  return [
    ...foreign,
    rule('number', !isWhole, `${name} has 20 digits`),
    rule('number', isWhole && !isRib(number), `is not ${name}: its last two digits do not fit the others`),
    rule('number', kind === 'baridimob' && !number.startsWith('00799999'), 'a RIP begins with 00799999'),
    rule('iban', iban !== undefined && !isIban(iban), 'is not an IBAN: its check digits do not fit the rest'),
    rule('iban', isOther ?? false, 'is not of the account in /number'),
  ]
}

const bare = (written: string) => written.replace(/[ .-]/g, '')

const EXPIRES_DAYS = 7

function toTerms({
  accounts,
  expires_days: days = EXPIRES_DAYS,
  checked_within_hours: hours,
  second_approval_from: secondFrom,
  statements: { payout_words: payoutWords = ['chargily'] } = {},
}: Static<typeof TransferFile>) {
  return {
    accounts: accounts.map(toAccount),
    /** Whole days. */
    lifetimeMs: days * DAY,
    /** How long the seller usually takes to check a slip; null: nothing is said. */
    usualDelayMs: hours === undefined ? null : hours * HOUR,
    /** The amount from which two operators must approve; null if one is always enough. */
    secondApprovalFrom: secondFrom ?? null,
    /** Words by which bank statements name the provider of cards. */
    payoutWords,
  }
}

function toAccount({ kind, holder, bank, key, iban, ...written }: AccountFields): Account {
  const number = bare(written.number)
  return {
    ...{ kind, holder, number, key: key ? bare(key) : null, rip: kind === 'ccp' ? ripOfCcp(number) : null },
    ...{ bank: bank ?? null, iban: iban ? bare(iban) : null },
  }
}

/** The accounts of the sandbox do not exist, but their check digits are right. */
export const EXAMPLE_TRANSFERS = parseTransfers(
  JSON.stringify({
    accounts: [
      { kind: 'ccp', holder: 'SARL Exemple', number: '0023456789', key: '88' },
      { kind: 'baridimob', holder: 'SARL Exemple', number: '00799999002345678941' },
      { kind: 'bank', holder: 'SARL Exemple', bank: 'Banque d’exemple', number: '00000001000000001211' },
    ],
    checked_within_hours: 24,
    second_approval_from: 20_000,
  }),
)
