// A difference is read back as it was written, whatever the provider said.
import { describeDifference, NO_ADDRESS, readDifference } from './difference.js'

it('each difference is named in its own way, and another text is no difference of two values', () => {
  for (const [name, difference] of [
    ['amount', { ours: '2000', by: 'provider', theirs: '50' }],
    ['amount', { ours: '2000', by: 'operator', theirs: '1800' }],
    ['live', { ours: 'true', by: 'provider', theirs: 'null' }],
    ['user_id', { ours: 'user 1', by: 'provider', theirs: 'a, the provider says\nb' }],
  ] as const)
    expect.soft(readDifference(describeDifference(name, difference))).toEqual({ name, ...difference })
  expect([NO_ADDRESS, 'amount'].map(readDifference)).toEqual([null, null])
})
