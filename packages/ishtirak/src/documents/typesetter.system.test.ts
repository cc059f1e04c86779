import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { textOf } from '../../../../test/support/pdf.js'
import { readCoverage } from './font-coverage.js'
import { createTypesetter, TypesettingFailed } from './typesetter.js'

const TEMPLATE = `#let data = json("/data.json")
#set document(title: "test", date: none)
#set text(font: ("IBM Plex Sans", "IBM Plex Sans Arabic", "Libertinus Serif"), fallback: false)
#data.text`

const typesetter = createTypesetter()
const print = (text: string) => textOf(typesetter.typeset(TEMPLATE, { text })).trim()

describe('a text from outside', () => {
  it('is printed and never run', () => {
    const texts = ['#panic()', '#read("/etc/passwd")', '$x^2$ *a* _b_ <c> @d `e`', '= no heading']
    for (const text of [...texts, '\\u{41} // c', '"); #x']) expect(print(text)).toBe(text)
  })

  it('with what no font can draw shows where it was', () => {
    const texts = ['Ali 😀', '👩‍👩‍👧 family', '汉字', 'a\ud800b', 'line\nbreak\u2028and\u0000more']
    expect(texts.map(print)).toEqual(['Ali ◊', '◊ family', '◊◊', 'a◊b', 'line break and more'])
  })

  it('cannot turn the line around it: marks of direction are taken out', () => {
    expect(print('abc\u202edef\u2067ghi')).toBe('abcdefghi')
  })

  it('keeps the letters of Kabyle, composed or not', () => {
    // Readers put a space after a mark that is drawn apart from its letter.
    expect(
      print('Ɣani ɛli Bouḥired Tiẓiri')
        .replace(/ (?=ired|iri)/g, '')
        .normalize('NFC'),
    ).toBe('Ɣani ɛli Bouḥired Tiẓiri')
    expect(print('Bouh\u0323ired')).toBe(print('Bouḥired'))
  })
})

it('a template with a mistake fails with what the engine says of it', () => {
  expect(() => typesetter.typeset('#unknown-thing', {})).toThrow(TypesettingFailed)
  expect(() => typesetter.typeset('#unknown-thing', {})).toThrow(/unknown-thing|unknown variable/)
})

it('a page that is not accessible (no title) is not printed', () => {
  expect(() => typesetter.typeset('#set text(font: "IBM Plex Sans")\nhello', {})).toThrow(TypesettingFailed)
})

describe('what a font covers', () => {
  const require = createRequire(import.meta.url)
  const coverageOf = (file: string) =>
    readCoverage(readFileSync(require.resolve(`@expo-google-fonts/${file}`)))
  const latin = coverageOf('ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf')
  const arabic = coverageOf('ibm-plex-sans-arabic/400Regular/IBMPlexSansArabic_400Regular.ttf')
  const covers = (has: (codePoint: number) => boolean, text: string) =>
    Array.from(text, (character) => has(character.codePointAt(0) ?? 0))

  it('is what is in its character map and nothing else', () => {
    expect(covers(latin, 'Aé€№◊')).not.toContain(false)
    expect(covers(latin, 'مɛ漢😀')).not.toContain(true)
    expect(covers(arabic, 'مئچڤ،٣')).not.toContain(false)
    expect(covers(arabic, '漢😀\uffff')).not.toContain(true)
  })

  it('cannot be read of what is not a font', () => {
    expect(() => readCoverage(Buffer.alloc(64))).toThrow(RangeError)
  })
})
