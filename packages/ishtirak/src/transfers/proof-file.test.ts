// What counts as a picture or a PDF of a slip, and what is refused.
import { jpeg, pdf, png } from '../../../../test/support/proof-files.js'
import { readProofFile } from './proof-file.js'

const whole = (type: string, { length }: Buffer) => ({ type, length })
const refused = (problem: string) => ({ problem })

describe('a file is told by its content', () => {
  it('also where it is large, as those of phones are', async () => {
    for (const file of [
      jpeg(),
      jpeg({ width: 8_160, height: 6_120 }),
      jpeg({ width: 16_384, height: 3_906 }),
    ])
      expect(await readProofFile(file)).toEqual(whole('image/jpeg', file))
    for (const file of [png(), png({ extra: 70_000 }), png({ width: 8_000, height: 8_000 })])
      expect(await readProofFile(file)).toEqual(whole('image/png', file))
  })

  it('a PDF by a header in its first 1,024 bytes and an end mark in its last ones', async () => {
    const file = Buffer.from('%PDF-1.7\n<< /OpenAction << /S /JavaScript >> >>\nno table of objects\n%%EOF')
    expect(await readProofFile(file)).toEqual(whole('application/pdf', file))
    const followed = (bytes: number) => readProofFile(Buffer.concat([file, Buffer.alloc(bytes, 0x0a)]))
    expect(await followed(1_024 - 5)).toEqual(whole('application/pdf', file))
    expect(await followed(1_024 - 4)).toEqual(refused('damaged'))
    const part = '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n'
    for (const before of ['\ufeff', '\n', part, ' '.repeat(1_024 - 5)]) {
      const moved = Buffer.concat([Buffer.from(before), file])
      expect(await readProofFile(moved)).toEqual(whole('application/pdf', moved))
    }
    const tooFar = Buffer.concat([Buffer.alloc(1_024 - 4, 0x20), file])
    expect(await readProofFile(tooFar)).toEqual(refused('not_recognized'))
  })

  it('which is refused where it is no picture and no PDF', async () => {
    for (const file of [
      '',
      '<!doctype html><script>alert(1)</script>',
      '#!/bin/sh\n# slip.jpg',
      '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
      'GIF89a\x01\0\x01\0',
      'PK\x03\x04',
    ])
      expect([file, await readProofFile(Buffer.from(file, 'latin1'))]).toEqual([
        file,
        refused('not_recognized'),
      ])
  })
})

describe('a file that is cut or changed', () => {
  it('is refused wherever it was cut, and a PNG with any one byte changed', async () => {
    for (const file of [jpeg(), png(), pdf()]) {
      const end = file.length - (file.toString('latin1').endsWith('\n') ? 1 : 0)
      for (let length = 0; length < end; length++)
        expect(await readProofFile(file.subarray(0, length))).toHaveProperty('problem')
    }
    const file = png()
    for (const at of file.keys()) {
      const changed = Buffer.from(file)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await readProofFile(changed)).toHaveProperty('problem')
    }
  })

  it('a PNG has one header, which comes first, and data', async () => {
    const [file, other] = [png(), png({ width: 20_000 })]
    const [start, header, rest] = [file.subarray(0, 8), file.subarray(8, 33), file.subarray(33)]
    for (const wrong of [
      [start, header, other.subarray(8, 33), rest],
      [start, rest],
      [start, header, file.subarray(-12)],
    ])
      expect(await readProofFile(Buffer.concat(wrong))).toEqual(refused('damaged'))
  })

  it('a JPEG may be progressive, with filling before its markers; its tables are no frames', async () => {
    const file = jpeg()
    const frame = file.indexOf(Buffer.from([0xff, 0xc0]))
    const table = Buffer.from([0xff, 0xc4, 0, 2])
    const parts = [file.subarray(0, frame), table, Buffer.from([0xff]), file.subarray(frame)]
    const progressive = Buffer.concat(parts)
    progressive[frame + table.length + 2] = 0xc2
    expect(await readProofFile(progressive)).toEqual(whole('image/jpeg', progressive))
  })

  it('a JPEG needs a frame before its scan, and one alone', async () => {
    const file = jpeg()
    const frame = file.indexOf(Buffer.from([0xff, 0xc0]))
    const scan = file.indexOf(Buffer.from([0xff, 0xda]))
    const without = Buffer.concat([file.subarray(0, frame), file.subarray(scan)])
    const twice = Buffer.concat([file.subarray(0, scan), file.subarray(frame)])
    for (const wrong of [without, twice]) expect(await readProofFile(wrong)).toEqual(refused('damaged'))
  })
})

describe('a picture', () => {
  it('of too many pixels, or of none, is refused', async () => {
    for (const file of [
      png({ width: 20_000, height: 20_000 }),
      jpeg({ width: 20_000, height: 20_000 }),
      png({ width: 16_385, height: 1 }),
      png({ width: 8_001, height: 8_000 }),
      jpeg({ width: 8, height: 16_385 }),
    ])
      expect(await readProofFile(file)).toEqual(refused('too_many_pixels'))
    for (const file of [png({ width: 0 }), jpeg({ height: 0 })])
      expect(await readProofFile(file)).toEqual(refused('damaged'))
  })

  it('ends where it ends: what stands behind is no part of it', async () => {
    for (const tail of ['<html><script>alert(1)</script>', 'PK\x05\x06'])
      for (const file of [jpeg(), png()]) {
        const read = await readProofFile(Buffer.concat([file, Buffer.from(tail, 'latin1')]))
        expect(read).toMatchObject({ length: file.length })
      }
  })
})

it('lets the event loop turn meanwhile, with a file that is slow to read', async () => {
  const repeated = (text: string) => Buffer.alloc(2 << 20, text, 'latin1')
  const emptyChunk = png({ extra: 1 }).subarray(33, 46)
  const start = jpeg().subarray(0, 2)
  for (const [what, file, least] of [
    ['a PNG of one long chunk', png({ extra: (2 << 20) - 200 }), 7],
    ['a PNG of short chunks', Buffer.concat([png().subarray(0, 33), Buffer.alloc(2 << 20, emptyChunk)]), 150],
    ['a JPEG of filling', Buffer.concat([start, repeated('\xff')]), 2_000],
    ['a JPEG of empty segments', Buffer.concat([start, repeated('\xff\xfe\0\x02')]), 500],
    ['a JPEG of coded 0xff', Buffer.concat([jpeg().subarray(0, -7), repeated('\xff\0')]), 1_000],
  ] as const) {
    let turns = 0
    const count = () => {
      turns += 1
      handle = setImmediate(count)
    }
    let handle = setImmediate(count)
    await readProofFile(file)
    clearImmediate(handle)
    expect([what, turns >= least]).toEqual([what, true])
  }
})
