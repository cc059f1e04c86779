import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
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

it('a line is JSON with time, level and message', () => {
  const { lines, log } = capture()
  log.info({ request_id: 'r-1' }, 'payment settled')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'info',
    message: 'payment settled',
    request_id: 'r-1',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
})

it('lines below the level are not written', () => {
  const { lines, log } = capture('warn')
  log.info('quiet')
  expect(lines).toEqual([])
})

it.each(REDACTED_FIELDS)('%s never appears in clear, at any of three depths', (field) => {
  const { lines, log } = capture()
  log.info({ [field]: 'hush-1', request: { [field]: 'hush-2', headers: { [field]: 'hush-3' } } }, 'seen')
  expect(lines.join()).not.toContain('hush')
  expect(lines.join().match(/\[redacted\]/g)).toHaveLength(3)
})

it.each(['error', 'err'])('an error under %s is written with its stack, and its secrets are not', (name) => {
  const { lines, log } = capture()
  log.error({ [name]: Object.assign(new Error('broken'), { secretKey: 'hush' }) }, 'failed')
  expect(JSON.parse(lines[0] ?? '')[name].stack).toContain('broken')
  expect(lines.join()).not.toContain('hush')
})

it(
  'a throttled line is written once in its time, with how many were left out, also after the clock went ' +
    'back',
  () => {
    let now = 1_000_000
    const written: [string, number][] = []
    const write = throttled<string>({ now: () => now }, 60_000, (about, leftOut) =>
      written.push([about, leftOut]),
    )
    for (let count = 0; count < 1_000; count++) write(`first ${count}`)
    expect(written).toEqual([['first 0', 0]])
    now += 60_000
    write('a minute later')
    expect(written.at(-1)).toEqual(['a minute later', 999])
    now -= 400 * 86_400_000
    write('after the clock went back')
    expect(written.at(-1)).toEqual(['after the clock went back', 0])
  },
)
