import { expect, it } from 'vitest'
import { seldom } from './seldom.js'

it('says one line in its time, with how many it left out, also after the clock went back', () => {
  let now = 1_000_000
  const said: [string, number][] = []
  const say = seldom<string>({ now: () => now }, 60_000, (about, leftOut) => said.push([about, leftOut]))
  for (let count = 0; count < 1_000; count++) say(`first ${count}`)
  expect(said).toEqual([['first 0', 0]])
  now += 60_000
  say('a minute later')
  expect(said.at(-1)).toEqual(['a minute later', 999])
  now -= 400 * 86_400_000
  say('after the clock went back')
  expect(said.at(-1)).toEqual(['after the clock went back', 0])
})
