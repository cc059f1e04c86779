// What counts as a picture or a PDF of a slip, and what is refused.
import { jpeg, pdf, png } from '../../../../test/support/proof-files.js'
import type { BillingError } from '../core/error.js'
import { readProofFile } from './proof-file.js'

const whole = (type: string, { length }: Buffer) => ({ type, length })
const refused = (problem: unknown) => ({ problem })
const read = (file: Buffer) => {
  try {
    return readProofFile(file)
  } catch (error) {
    return refused((error as BillingError).extra.reason)
  }
}

describe('a file is told by its content', () => {
  it('also where it is large, as those of phones are', () => {
    for (const file of [
      jpeg(),
      jpeg({ width: 8_160, height: 6_120 }),
      jpeg({ width: 16_384, height: 3_906 }),
    ])
      expect(read(file)).toEqual(whole('image/jpeg', file))
    for (const file of [png(), png({ extra: 70_000 }), png({ width: 8_000, height: 8_000 })])
      expect(read(file)).toEqual(whole('image/png', file))
  })

  it('a PDF by a header in its first 1,024 bytes and an end mark in its last ones', () => {
    const file = Buffer.from('%PDF-1.7\n<< /OpenAction << /S /JavaScript >> >>\nno table of objects\n%%EOF')
    expect(read(file)).toEqual(whole('application/pdf', file))
    const followed = (bytes: number) => read(Buffer.concat([file, Buffer.alloc(bytes, 0x0a)]))
    expect(followed(1_024 - 5)).toEqual(whole('application/pdf', file))
    expect(followed(1_024 - 4)).toEqual(refused('damaged'))
    const part = '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\n'
    for (const before of ['\ufeff', '\n', part, ' '.repeat(1_024 - 5)]) {
      const moved = Buffer.concat([Buffer.from(before), file])
      expect(read(moved)).toEqual(whole('application/pdf', moved))
    }
    const tooFar = Buffer.concat([Buffer.alloc(1_024 - 4, 0x20), file])
    expect(read(tooFar)).toEqual(refused('not_recognized'))
  })

  it('which is refused where it is no picture and no PDF', () => {
    for (const file of [
      '',
      '<!doctype html><script>alert(1)</script>',
      '#!/bin/sh\n# slip.jpg',
      '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
      'GIF89a\x01\0\x01\0',
      'PK\x03\x04',
    ])
      expect([file, read(Buffer.from(file, 'latin1'))]).toEqual([file, refused('not_recognized')])
  })
})

describe('a file that is cut or changed', () => {
  it('is refused wherever it was cut', () => {
    for (const file of [jpeg(), png(), pdf()]) {
      const end = file.length - (file.toString('latin1').endsWith('\n') ? 1 : 0)
      for (let length = 0; length < end; length++)
        expect(read(file.subarray(0, length))).toHaveProperty('problem')
    }
  })

  it('a PNG has its header first', () => {
    const file = png()
    const moved = Buffer.concat([file.subarray(0, 8), file.subarray(33)])
    expect(read(moved)).toEqual(refused('not_recognized'))
  })

  it('a JPEG may be progressive, with filling before its markers; its tables are no frames', () => {
    const file = jpeg()
    const frame = file.indexOf(Buffer.from([0xff, 0xc0]))
    const table = Buffer.from([0xff, 0xc4, 0, 2])
    const parts = [file.subarray(0, frame), table, Buffer.from([0xff]), file.subarray(frame)]
    const progressive = Buffer.concat(parts)
    progressive[frame + table.length + 2] = 0xc2
    expect(read(progressive)).toEqual(whole('image/jpeg', progressive))
  })

  it('a JPEG needs a frame before its scan', () => {
    const file = jpeg()
    const frame = file.indexOf(Buffer.from([0xff, 0xc0]))
    const scan = file.indexOf(Buffer.from([0xff, 0xda]))
    const without = Buffer.concat([file.subarray(0, frame), file.subarray(scan)])
    expect(read(without)).toEqual(refused('damaged'))
  })
})

describe('a picture', () => {
  it('of too many pixels, or of none, is refused', () => {
    for (const file of [
      png({ width: 20_000, height: 20_000 }),
      jpeg({ width: 20_000, height: 20_000 }),
      png({ width: 16_385, height: 1 }),
      png({ width: 8_001, height: 8_000 }),
      jpeg({ width: 8, height: 16_385 }),
    ])
      expect(read(file)).toEqual(refused('too_many_pixels'))
    for (const file of [png({ width: 0 }), jpeg({ height: 0 })])
      expect(read(file)).toEqual(refused('damaged'))
  })

  it('ends where it ends: what stands behind is no part of it', () => {
    for (const tail of ['<html><script>alert(1)</script>', 'PK\x05\x06'])
      for (const file of [jpeg(), png()]) {
        const found = read(Buffer.concat([file, Buffer.from(tail, 'latin1')]))
        expect(found).toMatchObject({ length: file.length })
      }
  })
})
