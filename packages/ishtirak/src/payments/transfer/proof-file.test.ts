// What counts as a picture or a PDF of a slip, and what is refused.
import { describe, expect, it } from 'vitest'
import { jpeg, objectStream, pdf, png } from '../../../../../test/support/proof-files.js'
import { readProofFile } from './proof-file.js'

const whole = (type: string, { length }: Buffer) => ({ type, length })
const refused = (problem: string) => ({ problem })

describe('a file is told by its content', () => {
  it.each([
    ['image/jpeg', jpeg()],
    ['image/jpeg', jpeg({ width: 8_160, height: 6_120 })],
    ['image/png', png()],
    ['image/jpeg', jpeg({ width: 16_384, height: 3_906 })],
    ['image/png', png({ extra: 70_000 })],
    ['image/png', png({ width: 8_000, height: 8_000 })],
  ])('%s', (type, file) => expect(readProofFile(file)).toEqual(whole(type, file)))

  it('a PDF ends with its end mark', () => {
    const file = pdf()
    expect(readProofFile(file)).toEqual({ type: 'application/pdf', length: file.length - 1 })
  })

  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a script with the name of a picture', '#!/bin/sh\n# slip.jpg'],
    ['a drawing, which can hold scripts', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
    ['a GIF', 'GIF89a\x01\0\x01\0'],
    ['an archive', 'PK\x03\x04'],
    ['a PDF that begins with something else', `x${pdf().toString('latin1')}`],
  ])('%s is refused', (_, text) =>
    expect(readProofFile(Buffer.from(text, 'latin1'))).toEqual(refused('not_recognized')),
  )
})

describe('a file that is cut or changed', () => {
  it.each([
    ['JPEG', jpeg()],
    ['PNG', png()],
    ['PDF', pdf({ objects: [objectStream('5 0 << >>')] })],
  ])('%s is refused wherever it was cut', (_, file) => {
    const end = file.length - (file.toString('latin1').endsWith('\n') ? 1 : 0)
    for (let length = 0; length < end; length++)
      expect(readProofFile(file.subarray(0, length))).toHaveProperty('problem')
  })

  it('a PNG is refused with any one byte changed', () => {
    const file = png()
    for (const at of file.keys()) {
      const changed = Buffer.from(file)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(readProofFile(changed)).toHaveProperty('problem')
    }
  })

  it('a PNG has one header, which comes first, and data', () => {
    const [file, other] = [png(), png({ width: 20_000 })]
    const [start, header, rest] = [file.subarray(0, 8), file.subarray(8, 33), file.subarray(33)]
    for (const wrong of [
      [start, header, other.subarray(8, 33), rest],
      [start, rest],
      [start, header, file.subarray(-12)],
    ])
      expect(readProofFile(Buffer.concat(wrong))).toEqual(refused('damaged'))
  })

  it('a PDF needs a root', () => {
    const file = Buffer.from(pdf().toString('latin1').replace('/Root', '/Toor'), 'latin1')
    expect(readProofFile(file)).toEqual(refused('damaged'))
  })

  it('a JPEG may be progressive, with filling before its markers; its tables are no frames', () => {
    const file = jpeg()
    const frame = file.indexOf(Buffer.from([0xff, 0xc0]))
    const table = Buffer.from([0xff, 0xc4, 0, 2])
    const parts = [file.subarray(0, frame), table, Buffer.from([0xff]), file.subarray(frame)]
    const progressive = Buffer.concat(parts)
    progressive[frame + table.length + 2] = 0xc2
    expect(readProofFile(progressive)).toEqual(whole('image/jpeg', progressive))
  })

  it('a JPEG needs a frame before its scan, and one alone', () => {
    const file = jpeg()
    const frame = file.indexOf(Buffer.from([0xff, 0xc0]))
    const scan = file.indexOf(Buffer.from([0xff, 0xda]))
    const without = Buffer.concat([file.subarray(0, frame), file.subarray(scan)])
    const twice = Buffer.concat([file.subarray(0, scan), file.subarray(frame)])
    for (const wrong of [without, twice]) expect(readProofFile(wrong)).toEqual(refused('damaged'))
  })
})

describe('a picture', () => {
  it.each([
    ['PNG', png({ width: 20_000, height: 20_000 })],
    ['JPEG', jpeg({ width: 20_000, height: 20_000 })],
    ['PNG', png({ width: 16_385, height: 1 })],
    ['PNG', png({ width: 8_001, height: 8_000 })],
    ['JPEG', jpeg({ width: 8, height: 16_385 })],
  ])('%s of too many pixels is refused', (_, file) =>
    expect(readProofFile(file)).toEqual(refused('too_many_pixels')),
  )

  it.each([
    ['PNG', png({ width: 0 })],
    ['JPEG', jpeg({ height: 0 })],
  ])('%s without pixels is refused', (_, file) => expect(readProofFile(file)).toEqual(refused('damaged')))

  it.each([
    ['JPEG', 'a page', jpeg()],
    ['JPEG', 'an archive', jpeg()],
    ['PNG', 'a page', png()],
  ])('%s: %s behind its end is no part of it', (_, what, file) => {
    const tail = what === 'a page' ? '<html><script>alert(1)</script>' : 'PK\x05\x06'
    const read = readProofFile(Buffer.concat([file, Buffer.from(tail, 'latin1')]))
    expect(read).toMatchObject({ length: file.length })
  })
})

/** As other readers take it: the table of the objects leads to it, not its type. */
function untyped(content: string, type = '', first = '/First 4'): Buffer {
  const stream = objectStream(content).toString('latin1')
  return Buffer.from(stream.replace('/Type /ObjStm', type).replace('/First 4', first), 'latin1')
}

describe('a PDF that does something', () => {
  const action = '<< /S /JavaScript /JS (app.alert\\(1\\)) >>'
  it.each([
    ['a script', { catalog: `/OpenAction ${action}` }],
    ['a script among its objects', { objects: [action] }],
    ['a script with escaped names', { objects: ['<< /S /J#61vaScript /J#53 (x) >>'] }],
    [
      'an action when it is opened',
      { catalog: '/OpenAction 4 0 R', objects: ['<< /S /URI /URI (http://x) >>'] },
    ],
    ['actions of a page', { objects: ['<< /AA << /O 5 0 R >> >>'] }],
    ['a program to start', { objects: ['<< /S /Launch /F (cmd.exe) >>'] }],
    ['a form that is sent', { objects: ['<< /S /SubmitForm /F (http://x) >>'] }],
    ['files inside', { catalog: '/Names << /EmbeddedFiles 4 0 R >>' }],
    ['a file inside, without a word about it', { objects: ['<< /Type /Filespec /EF << /F 5 0 R >> >>'] }],
    ['a form with scripts', { catalog: '/AcroForm << /XFA 4 0 R >>' }],
    ['a lock', { objects: ['<< /Encrypt 4 0 R >>'] }],
    ['an archive around it', { objects: ['(PK\x05\x06)'] }],
    ['a script in an object stream', { objects: [objectStream(`5 0 ${action}`)] }],
    ['a script in an object stream without its type', { objects: [untyped(`5 0 ${action}`)] }],
    [
      'a script in an object stream that says it is a picture',
      { objects: [untyped(`5 0 ${action}`, '/Type /XObject')] },
    ],
    ['an object stream in an object stream', { objects: [objectStream('5 0 << /Type /ObjStm >>')] }],
    ['an object stream by another filter', { objects: [objectStream('5 0 << >>', '/Filter /LZWDecode')] }],
    [
      'an object stream by two filters',
      { objects: [objectStream('5 0 << >>', '/Filter [/FlateDecode /FlateDecode]')] },
    ],
    [
      'an object stream with two words for its filter',
      { objects: [objectStream('5 0 << >>', '/Filter /FlateDecode /X << /Filter /LZWDecode >>')] },
    ],
    [
      'an object stream that hides its filter in a string',
      { objects: [objectStream('5 0 << >>', '/X (1 0 obj << ) /Filter /FlateDecode')] },
    ],
    [
      'an object stream with parameters of its filter',
      { objects: [objectStream('5 0 << >>', '/Filter /FlateDecode /DecodeParms 5 0 R')] },
    ],
    [
      'an object stream in another file',
      { objects: [objectStream('5 0 << >>', '/Filter /FlateDecode /F 5 0 R')] },
    ],
    [
      'an object stream whose data begin on the line of its keyword',
      { objects: [objectStream('5 0 << >>').toString('latin1').replace('stream\n', 'stream ')] },
    ],
    [
      'two object streams that are a bomb together',
      { objects: [objectStream('0'.repeat(3 << 20)), objectStream('1'.repeat(3 << 20))] },
    ],
    ['more outlines than a slip has', { objects: ['<< /First 5 0 R >>'.repeat(1_001)] }],
    ['an object stream that is a bomb', { objects: [objectStream('0'.repeat(17 * 1024 * 1024))] }],
  ])('%s is refused', (_, parts) => expect(readProofFile(pdf(parts))).toEqual(refused('active_content')))

  it.each(['/First 6 0 R', '/#46irst 4', '/First 4 % >>\n', '/First 4 /X (>>)', '/First 4 /X <41>'])(
    'a script in an object stream without its type, with %s, is refused',
    (first) => {
      const file = pdf({ objects: [untyped(`5 0 ${action}`, '', first)] })
      expect(readProofFile(file)).toEqual(refused('active_content'))
    },
  )

  it.each([
    ...['JavaScript', 'Launch', 'SubmitForm', 'ImportData', 'GoToR', 'GoToE', 'Rendition', 'RichMedia'],
    ...['RichMediaExecute', 'Movie', 'Sound', 'XFA', 'EmbeddedFile', 'EmbeddedFiles', 'FileAttachment'],
    ...['Collection', 'Encrypt'],
  ])('/%s alone is refused', (name) =>
    expect(readProofFile(pdf({ objects: [`<< /X /${name} >>`] }))).toEqual(refused('active_content')),
  )

  it.each([
    ['a script', '/JS', '(app.alert\\(1\\))'],
    ['a script elsewhere', '/JS', '5 0 R'],
    ['actions', '/AA', '<< /O 5 0 R >>'],
    ['a file inside', '/EF', '<< /F 5 0 R >>'],
  ])('%s by its short name alone is refused', (_, name, value) =>
    expect(readProofFile(pdf({ objects: [`<< ${name} ${value} >>`] }))).toEqual(refused('active_content')),
  )

  it.each([
    ['a place to open it at', { catalog: '/OpenAction[3 0 R /XYZ null null 0]' }],
    ['a link', { objects: ['<< /Subtype /Link /A << /S /URI /URI (https://example.dz) >> >>'] }],
    ['a long object stream', { objects: [objectStream('0'.repeat(3 << 20))] }],
    ['quiet object streams', { objects: [objectStream('5 0 << /A 1 >>'), objectStream('6 0 << >>')] }],
    [
      'an outline',
      {
        catalog: '/Outlines 4 0 R',
        objects: ['<< /First 5 0 R /Last 5 0 R >>', '<< /Title (\\)a(b) <</First) >>'],
      },
    ],
    [
      'an outline before a stream',
      { objects: ['<< /First 5 0 R >>', '<< /Length 1 >>\nstream\nx\nendstream'] },
    ],
    ['short names among the bytes of a picture', { objects: ['\xff/JS\xfe /AA\xfd /EF\xfc'] }],
  ])('%s is no harm', (_, parts) =>
    expect(readProofFile(pdf(parts))).toMatchObject({ type: 'application/pdf' }),
  )

  it('nothing is kept behind its end', () => {
    const file = pdf()
    const read = readProofFile(Buffer.concat([file, Buffer.from('<script>alert(1)</script>')]))
    expect(read).toMatchObject({ length: file.length - 1 })
  })
})
