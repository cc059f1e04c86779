import { Type } from 'typebox'
import { nullable, timestamp } from '../http/schemas.js'
import { viewRows } from './schemas.js'

const Schema = Type.Object({
  id: Type.String(),
  count: Type.Integer(),
  at: timestamp,
  end: nullable(timestamp),
})
const at = Date.parse('2026-11-21T12:00:00Z')

it('rows are given in the shape of the schema: its members alone, instants as timestamps', () => {
  expect(viewRows(Schema, [{ id: 'a', count: 2, at, end: null, more: 'not shown' }])).toEqual([
    { id: 'a', count: 2, at: '2026-11-21T12:00:00Z', end: null },
  ])
})

it('a null, another type or a missing column is an error, not an answer', () => {
  for (const wrong of [{ id: null }, { count: 'two' }, { at: undefined }])
    expect(() => viewRows(Schema, [{ id: 'a', count: 2, at, end: null, ...wrong }])).toThrow('does not fit')
})
