import { expect, it } from 'vitest'
import { rememberIdentities } from './remembered-identities.js'

const user = (userId: string) => ({ userId })

it('an identity is remembered until its token ends', () => {
  const remembered = rememberIdentities({ most: 10, longestMs: 1_000 })
  remembered.keep('a', user('1'), 0, 500)
  expect([remembered.find('a', 499), remembered.find('a', 500), remembered.find('a', 499)]).toEqual([
    user('1'),
    undefined,
    undefined,
  ])
})

it('a token that lives long is looked at again all the same, since its key may have been withdrawn', () => {
  const remembered = rememberIdentities({ most: 10, longestMs: 1_000 })
  remembered.keep('a', user('1'), 200, 1_000_000)
  expect([remembered.find('a', 1_199), remembered.find('a', 1_200)]).toEqual([user('1'), undefined])
})

it('one too many pushes out the oldest', () => {
  const remembered = rememberIdentities({ most: 2, longestMs: 1_000 })
  for (const name of ['a', 'b', 'c']) remembered.keep(name, user(name), 0, 500)
  expect(['a', 'b', 'c'].map((name) => remembered.find(name, 1))).toEqual([undefined, user('b'), user('c')])
})

it('an identity that was remembered while the clock was ahead is verified again', () => {
  const remembered = rememberIdentities({ most: 10, longestMs: 1_000 })
  remembered.keep('a', user('1'), 100_000, 1_000_000)
  expect(remembered.find('a', 0)).toBeUndefined()
})
