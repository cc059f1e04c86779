// Each picture that a document shows exists and has an alternative text, and each picture is shown.
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
