// Processes where files, streams and exit are looked at; otherwise all commands run in one process.
import { spawn } from 'node:child_process'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import {
  type CommandHost,
  hostCommands,
  PROGRAM,
  runCommand,
  type ServiceProcess,
  startService,
} from '../support/process.js'
import { png } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { CHARGILY_KEY, JWT_SECRET, tokenOf } from '../support/world.js'
import { buyPro, call } from './calls.js'

const KEY = 'a-key-of-the-operator-0123'

const folder = temporaryFolder()
let env: Record<string, string>
let beside: Record<string, string>
let emulator: Emulator
let service: ServiceProcess
let commands: CommandHost
let paymentId: string

// One purchase for all tests: the last opens the database after the service has stopped.
beforeAll(async () => {
  await makeEmbeddedFolder(folder)
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  env = {
    ...{ PORT: String(await freePort()), DATA_DIR: folder, AUTH_JWT_SECRET: JWT_SECRET, TRANSFER_FILE },
    ...{ CHARGILY_SECRET_KEY: CHARGILY_KEY, CHARGILY_API_URL: emulator.url },
    ...{ OPERATOR_KEYS: `amina:${KEY}`, CODE_KEYS: 'a-key-for-the-codes-of-the-tests' },
  }
  commands = hostCommands()
  service = await startService(env)
  beside = { ...env, OPERATOR_KEY: KEY, ISHTIRAK_URL: service.url }
  paymentId = await buyPro(service, emulator, 'user-1')
})
afterAll(async () => {
  commands.close()
  await service.kill('SIGKILL')
  await emulator.close()
})

const run = (words: readonly string[]) => commands.run(words, beside)
const say = (words: string, ...more: readonly string[]) => run([...words.split(' '), ...more])
async function refused(words: string, ...more: readonly string[]): Promise<string> {
  const { code, output, errors } = await say(words, ...more)
  expect([code, output]).toEqual([1, errors])
  return errors
}
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Algiers' }).format()
async function order(sub: string, email?: string) {
  const token = await tokenOf({ sub, ...(email !== undefined && { email }) })
  const { body } = await call(service, token, '/billing/payments', { plan: 'pro', method: 'transfer' })
  return { ...(body as { id: string; transfer: { reference: string; proof_url: string } }), token }
}

/** What a command says on stderr before it waits for the next round; it is ended there. */
async function firstLine(args: readonly string[], given: Record<string, string>): Promise<string> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { PATH, ...given } })
  try {
    for await (const line of createInterface({ input: child.stderr })) return line
    return 'nothing'
  } finally {
    child.kill('SIGKILL')
  }
}

it('ask the running service with a key, and say what to do without one', async () => {
  const alone = await runCommand(['payments', 'list'], env)
  expect([alone.code, alone.output]).toEqual([
    1,
    expect.stringMatching(/is in use by process[\s\S]*OPERATOR_KEY and ISHTIRAK_URL/),
  ])
  const wrong = await runCommand(['payments', 'list'], { ...beside, OPERATOR_KEY: 'not-the-key-of-anybody' })
  expect([wrong.code, wrong.errors]).toEqual([1, expect.stringContaining('The operator key is missing, or')])
  const list = await runCommand(['payments', 'list'], beside)
  expect(list.output).toMatch(
    new RegExp(`^ +${paymentId} +user-1 +pro +1 +2000 +DZD +paid +card +edahabia `, 'm'),
  )
  const shown = (await say('payments show', paymentId)).output
  expect(shown).toMatch(/^settled_by +webhook$/m)
  expect(shown).toMatch(
    // With the day in Algiers where it is another one: in the last hour of a day in UTC.
    /^reports:\n.*\n.* webhook +paid +2000 +DZD +booked +20\S+ \((20\S+ )?\d\d:\d\d\) +true$/m,
  )
  for (const id of ['', '..'])
    expect(await refused('payments show', id)).toContain(`nothing can have the id '${id}'`)
  const grant = await say('users grant user-1 --days 14 --operation-id ticket-1 --why', 'an outage')
  expect(grant.output).toMatch(/^ +grt_\w+ +operator +pro +0 +14 /m)
  const end = await say('users end user-1 --why', 'a stolen card')
  expect(end.output).toMatch(/amina +user\.end +- +a stolen card/)
  const trails = [await say('operators trail'), await say('operators trail --q', 'stolen card')]
  for (const { output } of trails) expect(output).toMatch(/amina +user\.end +user-1 +- +a stolen card/)
  expect(trails[1]?.output).not.toContain('users.grant')
  const excel = await runCommand('export accounts --month 2026-10 --format excel'.split(' '), beside)
  expect(excel.output).toMatch(/^\ufefftype;date;/)
})

it('say what is not there, and what a word may be', async () => {
  const APPROVE = 'payments approve x --amount 2000 --payment-method ccp --why x'
  const sayings: [words: string, said: string | RegExp][] = [
    ...['show', 'recheck', 'recheck --preview', 'accept --preview', 'refund --preview'].map(nopeOf),
    ...['resend-receipt --preview', 'accept --why x', 'keep --why x', 'refund --why x'].map(nopeOf),
    ...['refuse --why x', 'resend-receipt --why x', `proof --out ${folder}/none.png`].map(nopeOf),
    ['users end nope --why fraud', 'no user nope\n'],
    ['events resend nope', 'no event nope\n'],
    ['operators revoke nope --why x', 'no session nope\n'],
    ['find nope', 'nothing matches nope\n'],
    ['paymnets list', "error: no command is called 'paymnets'; ishtirak --help lists them\n"],
    ['payments list --status payed', /Allowed choices are .*paid, failed/],
    ['export accounts --month 2026-13', /^validation_failed: [\s\S]*month: /],
    ['reconcile --since 2026-02-30', /^validation_failed: [\s\S]*since: /],
    ['payments list --limit 0', /invalid\. A whole number, at least 1, at most 1000$/m],
    ['codes create --count many', /at least 1, at most 10000/],
    ['payments record --amount 0', /invalid\. A number, at least 0.01, at most 1000000000$/m],
    [`${APPROVE} --received-at 1/1/2026`, /^validation_failed: [\s\S]*received_at: /],
  ]
  const wrong = []
  for (const [words, said] of sayings) {
    const errors = await refused(words)
    if (typeof said === 'string' ? errors !== said : !said.test(errors)) wrong.push([words, errors])
  }
  expect(wrong).toEqual([])
  expect(await refused(`payments refund ${paymentId} --why`, ' ')).toContain(
    '/why: The value has the wrong form',
  )
  const help = (await say('codes create --help')).output.replace(/\s+/g, ' ')
  expect(help).toContain('--count <count> Required. How many codes (at least 1, at most 10000)')
})

it('--help lists commands by what they are for; the build writes what the program says', async () => {
  const { output } = await say('--help')
  expect(output.match(/^[A-Z]\w+:$/gm)).toEqual([
    'Options:',
    'Run:',
    'Try:',
    'Operate:',
    'Money:',
    'Commands:',
  ])
  const money = output.slice(output.indexOf('Money:'))
  expect(money).toMatch(/^ {2}months {2,}See a month, and close it$/m)
  // The words of a user are not among what is written down, so the program itself says it.
  for (const command of ['users show', 'months close'])
    expect((await say(`${command} --help`)).output).toBe((await say(`${command} x --help`)).output)
  expect((await say('emulate --help')).output).toContain('--port <number>')
})

const nopeOf = (words: string): [string, string] => [
  `payments ${words.replace(/^\S+/, '$& pay_nope')}`,
  'no payment pay_nope\n',
]

it('record what is paid at the desk, give lists by pages, and find what a customer names', async () => {
  const taken = ['payments', 'record', 'amina', '--plan', 'pro', '--method', 'cash']
  const slip = [...taken, '--reference', '2026/0042 b', '--why', 'paid at the desk', '--amount']
  expect((await run([...slip, '2020', '--new-user'])).output).toMatch(
    /stamp_duty +20\n[\s\S]*payment\.record/,
  )
  expect((await run([...taken, '--reference', '2026/0042 B', '--preview'])).errors).toMatch(
    /^conflict: [\s\S]* payment_id: pay_\w+\n/,
  )
  const newest = await say('payments list --limit 1')
  const next = /^next_cursor +(\S+)$/m.exec(newest.output)?.[1] ?? ''
  const older = await say('payments list --limit 1 --cursor', next)
  expect([newest, older].map(({ output }) => output.includes(paymentId))).toEqual([false, true])
  expect(older.output).not.toContain('next_cursor')
  const preview = await say(`payments refund ${paymentId} --preview`)
  expect(preview.output).toMatch(/^ {2}status +- +paid +refunded$/m)

  const { receipt } = JSON.parse((await say(`payments show ${paymentId} --json`)).output)
  expect((await say('find', receipt.number)).output).toContain(paymentId)
  expect((await say('find 2026/0042 b')).output).toMatch(/ cash +2026\/0042 B /)
  expect((await say('find user-1')).output).toMatch(/^ +user-1 /m)
  const events = await say('events list --state waiting')
  expect(events.output).toMatch(/user-1 +1 .*waiting /m)
  expect(events.output).not.toContain('1970')
})

it('make codes, show what is left of a batch, and revoke it', async () => {
  const create = 'codes create --kind percent --percent 20 --count 2 --uses-per-user 1 --json --why'
  const made = await say(create, 'a fair')
  expect(made.output.match(/"([0-9A-Z]{4}-){3}[0-9A-Z]{4}"/g)).toHaveLength(2)
  const batch: string = JSON.parse(made.output).batch_id
  expect((await say('codes list')).output).toMatch(
    new RegExp(`^ +${batch} +percent +- +- +20 +- +2 +0 +2 `, 'm'),
  )
  expect((await say('codes show', batch)).output).toMatch(/^left +2$/m)
  expect((await say(`codes revoke ${batch} --why lost`)).output).toMatch(/^revoked_by +amina$/m)
  expect(await refused(`codes revoke ${batch} --why lost`)).toMatch(
    /^already_revoked: It is revoked already[\s\S]*revoked_at: 20/,
  )
})

it('put a proof of a transfer into a new file that only its owner may read, and decide it', async () => {
  const { id, transfer, token } = await order('user-2')
  const content = png({ extra: 100_000 })
  const address = new URL(new URL(transfer.proof_url).pathname, service.url)
  const headers = { authorization: `Bearer ${token}` }
  const sent = await fetch(address, { method: 'PUT', headers, body: new Uint8Array(content) })
  expect(sent.status).toBe(200)
  const out = path.join(folder, 'slip.png')
  const proof = (...args: string[]) => runCommand(['payments', 'proof', id, ...args, '--out', out], beside)
  expect((await proof()).output).toBe(`${out}: image/png, ${content.length} bytes\n`)
  expect((await readFile(out)).equals(content)).toBe(true)
  expect((await stat(out)).mode & 0o777).toBe(0o600)
  const again = await proof()
  expect([again.code, again.errors]).toEqual([1, `the file exists: ${out}; name another one\n`])
  expect((await say('payments show', id)).output.match(/payment\.read_proof/g)).toHaveLength(1)
  await rm(out)
  const none = await proof('--n', '2')
  expect([none.code, none.errors]).toEqual([1, expect.stringContaining('no proof 2 of payment pay_')])
  await expect(stat(out)).rejects.toThrow('ENOENT')
  expect((await say('payments list --method transfer')).output).toMatch(
    new RegExp(`^ +${id} .* pending +transfer +- `, 'm'),
  )

  const refuse = () => say(`payments refuse ${id} --why`, 'nothing came')
  expect((await refuse()).output).toMatch(/amina +payment\.refuse +pay_\w+ +nothing came/)
  const came = `payments approve ${id} --amount 2000 --payment-method ccp --received-at`
  expect(await refused(`${came} 2026-01-01 --why`, 'it came after all')).toMatch(
    /earliest: 20\d\d-.*\n.*latest: 20\d\d-/,
  )
  expect((await say(`${came} ${today()} --why`, 'it came after all')).output).toMatch(
    /^ +status +paid$[\s\S]*amina +payment\.approve +pay_\w+ +it came/m,
  )
  expect((await refuse()).errors).toContain('payment_status: paid')
})

it('read in a bank statement, and approve its sure lines', async () => {
  const { transfer } = await order('by-statement')
  const file = path.join(temporaryFolder(), 'statement.csv')
  expect(await refused('bank-statements import', file, '--account', 'ccp')).toContain('cannot be read')
  const [year, month, day] = today().split('-')
  const row = `${day}/${month}/${year};VIR ${transfer.reference};;2 000,00`
  await writeFile(file, `Date;Libellé;Débit;Crédit\n${row}\n`)
  const asked = ['--account', 'ccp', '--day-order', 'dmy']
  const { output } = await say('bank-statements import', file, ...asked, '--json')
  const { statement_id: id, counts } = JSON.parse(output)
  expect(counts).toMatchObject({ sure: 1 })
  const { output: done } = await say('bank-statements approve', id, '--why', 'the statement')
  expect(done).toContain('approved')
})

it('know payments and users by what people have at hand, and refuse the name of several', async () => {
  const email = 'leila@example.dz'
  const { id, transfer } = await order('user-3', email)
  const reference = transfer.reference.toLowerCase().replaceAll('-', ' ')
  for (const name of [id, transfer.reference, reference, email])
    expect((await say('users show', name)).output).toMatch(/^user_id +user-3$/m)
  expect((await say('payments show', reference)).output).toContain(id)
  const approve = (name: string) =>
    say(`payments approve ${name} --amount 2000 --payment-method ccp --received-at ${today()} --why came`)
  const other = await order('user-4', email)
  const several = await approve(email)
  expect([several.code, several.output]).toEqual([1, several.errors])
  expect(several.errors).toMatch(/^'leila@example\.dz' is the name of 2: give the id of one$/m)
  for (const one of [id, other.id]) expect(several.errors).toMatch(new RegExp(`^ +${one} +user-[34] `, 'm'))
  expect(await refused('users show', email)).toMatch(/^ +user-3 [\s\S]*^ +user-4 /m)
  for (const [name, approved] of [
    [transfer.reference, id],
    [other.id, other.id],
  ] as const)
    expect((await approve(name)).output).toMatch(new RegExp(`amina +payment\\.approve +${approved} +came`))
  const { receipt } = JSON.parse((await say(`payments show ${id} --json`)).output)
  expect((await say('payments show', receipt.number)).output).toContain(id)

  const desk = 'payments record user-3 --plan pro --reference 77 --why x --method'
  await say(`${desk} cash --amount 2020`)
  await say(`${desk} cheque --amount 2000`)
  const slips = await refused('payments refund 77 --why x')
  expect(slips).toMatch(/^'77' is the name of 2: [\s\S]* cash +cash +77 [\s\S]* cheque +cheque +77 /)
})

it('say within a round what the provider does, and where a check fails', async () => {
  emulator.setFaults({ api_5xx: {} })
  const health = await runCommand(['health'], beside)
  expect([health.code, health.errors]).toEqual([
    1,
    expect.stringMatching(/^provider fails: answers with an error: HTTP 50\d/),
  ])
  // On a folder of its own: the service has its own folder to itself.
  const doctor = await runCommand(['doctor'], { ...env, DATA_DIR: path.join(folder, 'other') })
  expect(doctor.output).toMatch(
    /\[FAIL\] provider: answers with an error[^\n]*\n +-> wait: the fault is the provider’s/,
  )
  expect(doctor.output).not.toContain('may reach')
  const said = await firstLine(['reconcile', '--since', '2026-01-01'], beside)
  expect(said).toMatch(/^server_error: HTTP 50\d/)
  emulator.clearFaults()
})

it('open the database of a stopped service, under the given name', async () => {
  await service.kill('SIGTERM')
  const books = await runCommand(['reconcile', '--since', '2026-01-01'], { ...env, ISHTIRAK_URL: '' })
  expect(books.errors).toBe('ISHTIRAK_URL is empty and counts as unset\n')
  expect(books.output).toMatch(/discrepancies +0\n/)
  const refund = ['payments', 'refund', paymentId, '--why', 'asked for it']
  const opened = (words: readonly string[]) => commands.run(words, env)
  const refunded = await opened([...refund, '--as', 'karim'])
  expect(refunded.output).toMatch(/karim +payment\.refund +pay_\w+ +asked for it/)
  const again = await opened(refund)
  expect([again.code, again.errors]).toEqual([
    1,
    expect.stringMatching(/already recorded[\s\S]*refunded_at: 20/),
  ])
  const file = path.join(folder, 'stopped.backup.gz')
  expect((await opened(['backup', file])).output).toMatch(/ documents: \d+$/m)
  const refused = await opened(['payments', 'list', '--as', 'karim; drop table'])
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('must be a name')])
  // The name that a command gives is no operator of the environment; those of the environment are known.
  const listed = await opened(['operators', 'list', '--as', 'karim'])
  expect(listed.output).toMatch(/^ +amina +owner +environment /m)
  expect(listed.output).not.toContain('karim')
  const taken = ['operators', 'create', '--name', 'Amina', '--role', 'viewer', '--why', 'x']
  const { code, errors } = await opened([...taken, '--as', 'karim'])
  expect([code, errors]).toEqual([1, expect.stringMatching(/source: environment/)])
})
