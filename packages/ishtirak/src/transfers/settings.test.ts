import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
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
const withAccount = (account: object) => parse(JSON.stringify({ accounts: [account] }))

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

  it('is refused with what is wrong in an account, and its place', () => {
    const wrong = [
      [
        'a key of another number',
        { ...ccp, key: '89' },
        '/key (line 1): is not the key of this CCP number: one of the two is wrong',
      ],
      ['no key', { ...ccp, key: undefined }, '/key (line 1): is missing: the two check digits of the CCP'],
      [
        'a RIP of another number',
        { ...ccp, rip: '00799999002345678841' },
        '/rip (line 1): is not the RIP of this CCP number',
      ],
      [
        'a RIP for a CCP',
        { ...ccp, number: baridimob.number },
        '/number (line 1): a CCP has at most 10 digits, its key stands in /key',
      ],
      [
        'a RIP with a wrong digit',
        { ...baridimob, number: '00799999002345678942' },
        '/number (line 1): is not a RIP: its last two digits do not fit the others',
      ],
      [
        'a RIB for BaridiMob',
        { ...baridimob, number: bank.number },
        '/number (line 1): a RIP begins with 00799999',
      ],
      ['a CCP for BaridiMob', { ...baridimob, number: ccp.number }, '/number (line 1): a RIP has 20 digits'],
      [
        'a RIB with two digits swapped',
        { ...bank, number: '00400147401001050486' },
        '/number (line 1): is not a RIB: its last two digits do not fit the others',
      ],
      [
        'an IBAN with a wrong digit',
        { ...bank, iban: 'DZ4000400174401001050487' },
        '/iban (line 1): is not an IBAN: its check digits do not fit the rest',
      ],
      [
        'an IBAN of another account',
        { ...bank, iban: 'DZ7000000001000000001211' },
        '/iban (line 1): is not of the account in /number',
      ],
      ['what is of another kind', { ...bank, key: '88' }, '/key (line 1): is not for bank'],
    ] as const
    const unseen = wrong.filter(([, account, problem]) => {
      const problems = withAccount(account)
      return !Array.isArray(problems) || !problems.includes(`TRANSFER_FILE /accounts/0${problem}`)
    })
    expect(unseen).toEqual([])
  })

  it('with a wrong key stops the start, in the sandbox too', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-transfers-'))
    const TRANSFER_FILE = path.join(folder, 'transfer.json')
    writeFileSync(TRANSFER_FILE, example.replace('"88"', '"87"'))
    for (const more of [{}, { CHARGILY_SECRET_KEY: 'test_sk_hush', AUTH_JWT_SECRET: 's'.repeat(32) }])
      expect(() => readConfig({ ...more, TRANSFER_FILE })).toThrow(
        /TRANSFER_FILE \/accounts\/0\/key \(line 3\): is not the key of this CCP number/,
      )
    rmSync(folder, { recursive: true })
  })

  it('with faults in two accounts reports both, each with its line', () => {
    const text = example.replace('"88"', '"87"').replace('0023456789 41', '0023456789 14')
    expect(parse(text)).toEqual([
      expect.stringContaining('/accounts/0/key (line 3)'),
      expect.stringContaining('/accounts/1/number (line 4)'),
    ])
  })

  it('with one value right in one account and wrong in the next names the line of the wrong one', () => {
    const accounts = [ccp, { ...ccp, number: '0023456780' }, { ...ccp, key: undefined }]
    expect(parse(JSON.stringify({ expires_days: 3, accounts }, null, 2))).toEqual([
      expect.stringContaining('/accounts/1/key (line 14)'),
      // Of the account, which begins there.
      expect.stringContaining('/accounts/2/key (line 16)'),
    ])
  })

  it('is refused with what is no term or no account, with its place', () => {
    const wrong = [
      ['no account', { accounts: [] }, '/accounts (line 1)'],
      ['no day to wait', { accounts: [bank], expires_days: 0 }, '/expires_days (line 1): must be >= 1'],
      [
        'no hour for a check',
        { accounts: [bank], checked_within_hours: 0 },
        '/checked_within_hours (line 1): must be >= 1',
      ],
      ['61 days to wait', { accounts: [bank], expires_days: 61 }, '/expires_days (line 1): must be <= 60'],
      [
        'a second approval of nothing',
        { accounts: [bank], second_approval_from: 0 },
        '/second_approval_from (line 1): must be >= 1',
      ],
      [
        'a field that is not known',
        { accounts: [bank], expire_days: 3 },
        '/expire_days (line 1): is not a known field',
      ],
      [
        'a number with letters',
        { accounts: [{ ...ccp, number: '00234O6789' }] },
        '/accounts/0/number (line 1): must be 3 to 20 digits',
      ],
      [
        'a key of one digit',
        { accounts: [{ ...ccp, key: '8' }] },
        '/accounts/0/key (line 1): must be 2 digits',
      ],
      [
        'another kind',
        { accounts: [{ ...ccp, kind: 'cash' }] },
        '/accounts/0/kind (line 1): must be one of ccp, baridimob, bank',
      ],
    ] as const
    const found = wrong.map(([what, value]) => [what, parse(JSON.stringify(value))])
    const expected = wrong.map(([what, , place]) => [
      what,
      [expect.stringContaining(`TRANSFER_FILE ${place}`)],
    ])
    expect(found).toEqual(expected)
  })
})
