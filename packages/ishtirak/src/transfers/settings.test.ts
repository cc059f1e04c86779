import { readFileSync } from 'node:fs'
import { configFile } from '../../../../test/support/config-files.js'
import { DAY } from '../core/instant.js'
import { readConfig } from '../main/config.js'
import { ConfigError } from '../runtime/config-file.js'
import { parseTransfers, type TransferTerms } from './settings.js'

const example = readFileSync(new URL('../../../../docs/transfer.example.json', import.meta.url), 'utf8')

/** The terms, or every problem. */
function parse(text: string): TransferTerms | readonly string[] {
  try {
    return parseTransfers(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
const ccp = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }
const baridimob = { kind: 'baridimob', holder: 'Atlas', number: '00799999002345678941' }
const bank = { kind: 'bank', holder: 'Atlas', number: '00400174401001050486' }

describe('TRANSFER_FILE', () => {
  it('as in docs/transfer.example.json gives the accounts, with the RIP that a CCP has', () => {
    expect(parse(example)).toMatchObject({
      accounts: [
        { kind: 'ccp', number: '0023456789', key: '88', rip: '00799999002345678941', iban: null },
        { kind: 'baridimob', number: '00799999002345678941', key: null, rip: null },
        { kind: 'bank', bank: expect.any(String), iban: expect.stringMatching(/^DZ\d{22}$/) },
      ],
      lifetimeMs: 7 * DAY,
      usualDelayMs: DAY,
      secondApprovalFrom: 50_000,
    })
  })

  it('that says nothing else waits seven days, promises no delay, and asks for no second approval', () => {
    expect(parse(JSON.stringify({ accounts: [bank] }))).toMatchObject({
      lifetimeMs: 7 * DAY,
      usualDelayMs: null,
      secondApprovalFrom: null,
    })
  })

  it('is refused with what is wrong in an account, or is no term or account, and its place', () => {
    const asCcp = 'number: a CCP has at most 10 digits, its key stands in /key'
    const noRib = 'number: is not a RIB: its last two digits do not fit the others'
    const accounts = [
      [ccp, { key: '89' }, 'key: is not the key of this CCP number: one of the two is wrong'],
      [ccp, { key: undefined }, 'key: is missing: the two check digits of the CCP'],
      [ccp, { key: '8' }, 'key: must be 2 digits'],
      [ccp, { rip: '00799999002345678841' }, 'rip: is not the RIP of this CCP number'],
      [ccp, { number: baridimob.number }, asCcp],
      [ccp, { number: '00234O6789' }, 'number: must be 3 to 20 digits'],
      [ccp, { kind: 'cash' }, 'kind: must be one of ccp, baridimob, bank'],
      [baridimob, { number: '00799999002345678942' }, noRib.replace('RIB', 'RIP')],
      [baridimob, { number: bank.number }, 'number: a RIP begins with 00799999'],
      [baridimob, { number: ccp.number }, 'number: a RIP has 20 digits'],
      [bank, { number: '00400147401001050486' }, noRib],
      [bank, { iban: 'DZ4000400174401001050487' }, 'iban: is not an IBAN: its check digits do not'],
      [bank, { iban: 'DZ7000000001000000001211' }, 'iban: is not of the account in /number'],
      [bank, { key: '88' }, 'key: is not for bank'],
    ] as const
    const terms = [
      [{ accounts: [] }, 'accounts'],
      [{ expires_days: 0 }, 'expires_days: must be >= 1'],
      [{ expires_days: 61 }, 'expires_days: must be <= 60'],
      [{ checked_within_hours: 0 }, 'checked_within_hours: must be >= 1'],
      [{ second_approval_from: 0 }, 'second_approval_from: must be >= 1'],
      [{ expire_days: 3 }, 'expire_days: is not a known field'],
    ] as const
    const wrong: readonly (readonly [object, string])[] = [
      ...accounts.map(
        ([of, changes, problem]) => [{ accounts: [{ ...of, ...changes }] }, `accounts/0/${problem}`] as const,
      ),
      ...terms.map(([term, problem]) => [{ accounts: [bank], ...term }, problem] as const),
    ]
    const found = wrong.map(([value]) => parse(JSON.stringify(value)))
    expect(found).toEqual(
      wrong.map(([, problem]) =>
        expect.arrayContaining([expect.stringContaining(`TRANSFER_FILE /${problem}`)]),
      ),
    )
  })

  it('with a wrong key stops the start, in the sandbox too', () => {
    const TRANSFER_FILE = configFile(JSON.parse(example.replace('"88"', '"87"')))
    for (const more of [{}, { CHARGILY_SECRET_KEY: 'test_sk_hush', AUTH_JWT_SECRET: 's'.repeat(32) }])
      expect(() => readConfig({ ...more, TRANSFER_FILE })).toThrow(
        /TRANSFER_FILE \/accounts\/0\/key: is not the key of this CCP number/,
      )
  })

  it('with one value right in one account and wrong in the next names the line of the wrong one', () => {
    const accounts = [ccp, { ...ccp, number: '0023456780' }, { ...ccp, key: undefined }]
    expect(parse(JSON.stringify({ expires_days: 3, accounts }, null, 2))).toEqual([
      expect.stringContaining('/accounts/1/key'),
      // Of the account, which begins there.
      expect.stringContaining('/accounts/2/key'),
    ])
  })
})
