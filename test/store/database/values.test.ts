import { expect, it } from 'vitest'
import { statement } from '../../../src/store/database.js'
import { describeOnBothDatabases } from '../../support/databases.js'

describeOnBothDatabases('values', ({ database }) => {
  it('reads a number', async () => {
    const one = statement('test.one', 'select $1::int4 as a, $2::text[] as b')
    expect(await database().query(one, [7, ['a,b', '"', null]])).toEqual([{ a: 7, b: ['a,b', '"', null] }])
  })
})
