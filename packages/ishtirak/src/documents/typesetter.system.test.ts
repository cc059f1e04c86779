import { textOf } from '../../../../test/support/pdf.js'
import { createTypesetter, isDrawn } from './typesetter.js'

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
  expect(() => typesetter.typeset('#unknown-thing', {})).toThrow(/unknown-thing|unknown variable/)
})

it('a page that is not accessible (no title) is not printed', () => {
  expect(() => typesetter.typeset('#set text(font: "IBM Plex Sans")\nhello', {})).toThrow(/title/)
})

it('every character that is not replaced is in a font, also in bold', () => {
  const characters = Array.from({ length: 0x2600 }, (_, index) => String.fromCodePoint(index))
  const text = characters.filter(isDrawn).join(' ')
  const bold = TEMPLATE.replace('fallback: false', 'fallback: false, weight: 600')
  for (const template of [TEMPLATE, bold])
    expect(textOf(typesetter.typeset(template, { text }))).toContain('◊')
})
