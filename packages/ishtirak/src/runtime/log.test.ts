import { Writable } from 'node:stream'
import { createLog, REDACTED_FIELDS, throttled } from './log.js'

function capture(level: 'info' | 'warn' = 'info') {
  const lines: string[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  return { lines, log: createLog({ level, destination }) }
}

it('a line is JSON with time, level and message, and not written below the level', () => {
  const { lines, log } = capture()
  log.info({ request_id: 'r-1' }, 'payment settled')
  const said = { level: 'info', message: 'payment settled', request_id: 'r-1' }
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ...said, time })
  const quiet = capture('warn')
  quiet.log.info('quiet')
  expect(quiet.lines).toEqual([])
})

it('no secret appears in clear, at any of three depths', () => {
  for (const field of REDACTED_FIELDS) {
    const { lines, log } = capture()
    log.info({ [field]: 'hush-1', request: { [field]: 'hush-2', headers: { [field]: 'hush-3' } } }, 'seen')
    expect.soft(lines.join(), field).not.toContain('hush')
    expect.soft(lines.join().match(/\[redacted\]/g), field).toHaveLength(3)
  }
})

it('an error is written with its stack, and its secrets are not', () => {
  for (const name of ['error', 'err']) {
    const { lines, log } = capture()
    log.error({ [name]: Object.assign(new Error('broken'), { secretKey: 'hush' }) }, 'failed')
    expect.soft(JSON.parse(lines[0] ?? '')[name].stack).toContain('broken')
    expect.soft(lines.join()).not.toContain('hush')
  }
})

it('a throttled line is written once in its time, with how many were left out, whatever the clock', () => {
  let now = 1_000_000
  const written: string[] = []
  const write = throttled<string>({ now: () => now }, 60_000, (about, leftOut) =>
    written.push(`${about}, ${leftOut} left out`),
  )
  for (let count = 0; count < 1_000; count++) write(`first ${count}`)
  now += 60_000
  write('a minute later')
  now -= 400 * 86_400_000
  write('after the clock went back')
  expect(written).toEqual([
    'first 0, 0 left out',
    'a minute later, 999 left out',
    'after the clock went back, 0 left out',
  ])
})
