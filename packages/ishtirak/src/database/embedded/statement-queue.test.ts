// The queue in front of the embedded database's one connection.
import { expect, it } from 'vitest'
import { DatabaseUnavailable, givenUpAfter } from '../database.js'
import { Turnstile } from './statement-queue.js'

/** Work that lasts until it is let go. */
function held(): { readonly work: () => Promise<string>; letGo(): void } {
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  return { work: () => gate.then(() => 'done'), letGo: () => letGo() }
}

it('what has waited too long is refused and never begun; what comes after it is done', async () => {
  const turnstile = new Turnstile()
  const first = held()
  const begun: string[] = []
  const work = (name: string) => async () => void begun.push(name)
  const done = turnstile.pass(first.work)
  const late = turnstile.pass(work('late'), givenUpAfter(0))
  const patient = turnstile.pass(work('patient'))
  first.letGo()
  await expect(late).rejects.toBeInstanceOf(DatabaseUnavailable)
  await patient
  expect([await done, begun]).toEqual(['done', ['patient']])
})

it('5,000 may wait: the next one is refused at once, and there is room again when they are done', async () => {
  const turnstile = new Turnstile()
  const first = held()
  const waiting = [first.work, ...Array.from({ length: 4_999 }, () => async () => 'done')]
  const answers = waiting.map((work) => turnstile.pass(work))
  await expect(turnstile.pass(async () => 'done')).rejects.toBeInstanceOf(DatabaseUnavailable)
  first.letGo()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['done']))
  expect(await turnstile.pass(async () => 'again')).toBe('again')
})
