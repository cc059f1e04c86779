import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../main/config.js'
import { cellsFor, markOf, parseCells, partIn, partOf, partsOf, rangesOf } from './cells.js'
import { createIds } from './random.js'

const server = ['10.0.1.11:3000']
const file = (...cells: object[]) => JSON.stringify({ cells })
const two = file(
  { name: 'a', parts: ['0-63', '128-255'], servers: server },
  { name: 'b', parts: ['64-127'], servers: ['10.0.1.12:3000'], standbys: ['10.0.1.13:3000'] },
)

describe('the part of a user', () => {
  it('is the crc32 of the id in UTF-8, modulo 256', () => {
    // 0xcbf43926 is the check value of CRC-32/ISO-HDLC.
    expect(partOf('123456789')).toBe(0x26)
    expect(partOf('مستخدم')).toBe(crc32(Buffer.from('مستخدم')) % 256)
  })

  it('has a mark of two symbols, and is read from it', () => {
    const marks = Array.from({ length: 256 }, (_, part) => markOf(part))
    expect([marks[0], marks[31], marks[32], marks[255]]).toEqual(['00', '0z', '10', '7z'])
    expect(marks.map(partIn)).toEqual(marks.map((_, part) => part))
    for (const other of ['80', 'zz', '0i', '0', '000', '', '0Z']) expect(partIn(other)).toBeNull()
  })

  it('ends each id of what is theirs', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (userId) => {
        const id = createIds().ofUser('pay', 1_469_918_176_385, userId)
        expect(id).toMatch(/^pay_01aryz6s41[0-9a-hjkmnp-tv-z]{16}$/)
        expect(partIn(id.slice(-2))).toBe(partOf(userId))
      }),
    )
  })
})

describe('CELLS_FILE', () => {
  it('says which cell has a part, and where it is', () => {
    const cells = cellsFor('b', parseCells(two))
    expect(cells.own).toEqual({
      name: 'b',
      parts: new Set(partsOf('64-127')),
      servers: ['10.0.1.12:3000'],
      standbys: ['10.0.1.13:3000'],
    })
    expect(cells.all.map(({ parts }) => rangesOf(parts).join())).toEqual(['0-63,128-255', '64-127'])
  })

  it.each([
    ['{', 'is not JSON'],
    ['{"cells":[]}', '/cells (line 1): must not have fewer than 1 items'],
    [file({ name: 'a', parts: ['0-255'] }), '/cells/0/servers (line 1): is missing'],
    [file({ name: 'A', parts: ['0-255'], servers: server }), '/cells/0/name (line 1): must be one or two of'],
    [
      file({ name: 'a', parts: ['0-256'], servers: server }),
      '/cells/0/parts/0: must be a range from 0 to 255',
    ],
    [file({ name: 'a', parts: ['9-3'], servers: server }), '/cells/0/parts/0: must be a range from 0 to 255'],
    [
      file({ name: 'a', parts: ['x'], servers: server }),
      '/cells/0/parts/0 (line 1): must be a range such as',
    ],
    [
      file({ name: 'a', parts: ['0-255'], servers: ['x'] }),
      '/servers/0 (line 1): must be an address such as',
    ],
    [file({ name: 'a', parts: ['0-255'], servers: ['x:0'] }), 'x:0 has no port from 1 to 65535'],
    [
      file({ name: 'a', parts: ['0-255'], servers: ['x:1'], standbys: ['y:65536'] }),
      'y:65536 has no port from 1 to 65535',
    ],
    [file({ name: 'a', parts: ['0-99', '101-255'], servers: server }), 'no cell has the parts 100'],
    [
      file(
        { name: 'a', parts: ['0-128'], servers: server },
        { name: 'b', parts: ['100-255'], servers: server },
      ),
      'more than one cell has the parts 100-128',
    ],
    [
      file({ name: 'a', parts: ['0-9'], servers: server }, { name: 'a', parts: ['10-255'], servers: server }),
      'two cells have one name',
    ],
  ])('is refused: %s', (text, problem) => {
    expect(() => parseCells(text)).toThrow(problem)
  })

  it('must have the cell that the service is, and comes with it', () => {
    expect(() => cellsFor('c', parseCells(two))).toThrow('CELL is c, which is no cell of CELLS_FILE')
    expect(() => readConfig({ CELL: 'a' })).toThrow('CELL and CELLS_FILE are set together or not at all')
    expect(() => readConfig({ CELL: 'a', CELLS_FILE: '/nowhere' })).toThrow(
      'CELLS_FILE cannot be read: ENOENT',
    )
  })

  it('needs CELLS_KEY where it has more than one cell', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-cells-'))
    const read = (text: string, more = {}) => {
      writeFileSync(path.join(folder, 'cells.json'), text)
      return () => readConfig({ CELL: 'a', CELLS_FILE: path.join(folder, 'cells.json'), ...more })
    }
    const problem = 'CELLS_KEY is missing: by it the cells of CELLS_FILE know each other'
    expect(read(two)).toThrow(problem)
    expect(read(two, { CELLS_KEY: 'a secret of the cells that is longer than 32 bytes' })).not.toThrow()
    const one = { name: 'a', parts: ['0-255'], servers: ['10.0.1.11:3000'] }
    expect(read(JSON.stringify({ cells: [one] }))).not.toThrow()
    rmSync(folder, { recursive: true })
  })
})
