// The pictures of the documents: each that is shown exists and says what it shows, each is shown, and all of
// them together are small.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

const BYTES_MAX = 1_500_000

const root = path.resolve(import.meta.dirname, '..')
const inDocs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) =>
  path.join('docs', name),
)
const pages = ['README.md', ...inDocs.filter((name) => name.endsWith('.md'))]
const pictures = inDocs.filter((name) => /\.(webp|png|svg)$/.test(name))

/** `![alt](source)` and `<img>`, wherever the source is. */
const shown = pages.flatMap((page) => {
  const text = readFileSync(path.join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '')
  const inMarkdown = Array.from(text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g), ([, alt, source]) => [
    alt,
    source,
  ])
  const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  const inHtml = Array.from(text.matchAll(/<img\s[^>]*>/g), ([tag]) => [
    attribute(tag, 'alt'),
    attribute(tag, 'src'),
  ])
  return [...inMarkdown, ...inHtml].map(([alt = '', source = '']) => ({
    page,
    alt,
    file: path.join(path.dirname(page), source),
  }))
})

it('each picture that a page shows is in the repository and has a text in its place', () => {
  expect(shown.length).toBeGreaterThan(10)
  const isWrong = ({ alt, file }: (typeof shown)[number]) =>
    alt.trim() === '' || !existsSync(path.join(root, file))
  expect(shown.filter(isWrong)).toEqual([])
})

it('each picture is shown', () => {
  expect(pictures.length).toBeGreaterThan(10)
  expect(pictures.filter((picture) => !shown.some(({ file }) => file === picture))).toEqual([])
})

it('all pictures together are under 1.5 MB', () => {
  const bytes = pictures.reduce((sum, picture) => sum + statSync(path.join(root, picture)).size, 0)
  expect(bytes).toBeLessThan(BYTES_MAX)
})

const results = path.join(root, 'bench/results')

it.each(readdirSync(results))(
  '%s: its picture is drawn from it, and the page has its figures',
  async (file) => {
    const result = JSON.parse(readFileSync(path.join(results, file), 'utf8'))
    const { draw } = await import(path.join(root, 'bench/support/draw.mjs'))
    const picture = path.join(root, 'docs/internals/pictures', file.replace('.json', '.svg'))
    expect(readFileSync(picture, 'utf8')).toBe(draw(result))
    const cellsOf = (row: string) =>
      row
        .replace(/[`*]|(?<=\d),(?=\d)/g, '')
        .split('|')
        .map((cell) => cell.replace(/:.*/, '').trim())
    const page = readFileSync(path.join(root, 'docs/internals/benchmarks.md'), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('|'))
    const said = rows.map(cellsOf).map(([, ...cells]) => cells)
    for (const { name, ratio, lowest, highest } of result.rows ?? []) {
      const figures = said
        .filter(([first]) => first === name)
        .flat()
        .map(asNumbers)
      expect([name, figures]).toEqual([name, expect.arrayContaining([[ratio, lowest, highest]])])
    }
    for (const { name, rows: bytes, indexes } of result.bars ?? [])
      expect(said.map((cells) => cells.slice(0, 3))).toContainEqual([name, String(bytes), String(indexes)])
  },
)

/** `1.12 (1.01–1.24)` */
function asNumbers(figure = ''): readonly number[] {
  return (figure.match(/[\d.]+/g) ?? []).map(Number)
}
