// The documents are true: every code is listed, every link leads somewhere, every command exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { ERROR_CODES, ERRORS } from '../packages/ishtirak/src/core/error.js'
import { offersOf, type Plan } from '../packages/ishtirak/src/core/plan.js'
import { CATALOGS } from '../packages/ishtirak/src/i18n/messages.js'
import { readPlans } from '../packages/ishtirak/src/runtime/plans-file.js'

const root = path.resolve(import.meta.dirname, '..')
const documents = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md'],
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
  ...['packages', 'clients']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder)).map((name) => path.join(folder, name, 'README.md')),
    )
    .filter((name) => existsSync(path.join(root, name))),
]
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')

it('docs/errors.md lists every code with its status and words, and no other', () => {
  const listed = [
    ...read('docs/errors.md').matchAll(/^\| `([a-z_]+)` \| (\d{3}) \| (.*?) \| (.*) \|$/gm),
  ].map(([, code, status, title, detail]) => [code, Number(status), title, detail])
  expect(listed).toEqual(
    ERROR_CODES.map((code) => {
      const { title, detail } = CATALOGS.en.error[code]
      return [code, ERRORS[code], title, detail]
    }),
  )
})

it.each(documents)('%s links only to what exists', (name) => {
  const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, link]) => link ?? '',
  )
  const broken = links.filter((link) => !existsSync(path.resolve(root, path.dirname(name), link)))
  expect(broken).toEqual([])
})

/** A package's README is read where the package is, so its links are absolute. */
const REPOSITORY = 'https://github.com/ishtirak/ishtirak/blob/main/'

it.each(documents)('%s names only files of this repository that exist', (name) => {
  const named = read(name).split(`(${REPOSITORY}`).slice(1)
  const files = named.map((rest) => rest.split(/[)#]/, 1)[0] ?? '')
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  if (/^(packages|clients)/.test(name)) expect(read(name)).not.toMatch(/\]\(\.\.?\//)
})

it('each package carries the licence of the repository', () => {
  for (const folder of ['packages', 'clients'])
    for (const name of readdirSync(path.join(root, folder)))
      expect(read(`${folder}/${name}/LICENSE`)).toBe(read('LICENSE'))
})

it.each(documents)('%s has one title, on its first line', (name) => {
  const text = read(name).replace(/```[\s\S]*?```/g, '')
  expect(text.match(/^# .+$/gm)).toHaveLength(1)
  expect(text.startsWith('# ')).toBe(true)
})

it('docs/dependencies.md says why of every dependency', () => {
  const manifests = ['.', ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)]
  const named = manifests.flatMap((folder) => {
    const { dependencies, devDependencies } = JSON.parse(read(`${folder}/package.json`))
    return Object.keys({ ...dependencies, ...devDependencies })
  })
  const ours = ['chargily-emulator', '@ishtirak/demo']
  const document = read('docs/dependencies.md').replace(
    'ibm-plex-sans(-arabic)',
    'ibm-plex-sans` `@expo-google-fonts/ibm-plex-sans-arabic',
  )
  const unnamed = named.filter(
    (name) => !ours.includes(name) && !name.startsWith('@types/') && !document.includes(`\`${name}\``),
  )
  expect(unnamed).toEqual([])
})

it('docs/mount.md shows code of its examples', () => {
  const folder = path.join(root, 'examples/mounted')
  const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
  const blocks = [...read('docs/mount.md').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code ?? '')
  expect(blocks.length).toBeGreaterThan(5)
  expect(blocks.filter((code) => !examples.some((example) => example.includes(code)))).toEqual([])
  // Typed as it stands, the first one has to run.
  expect(blocks[0]).toBe(read('examples/mounted/billing.js').replace(/^\/\/.*\n/, ''))
})

it.each([
  ['php', ['plain.php', 'laravel/routes.php']],
  ['python', ['django_app.py', 'wsgi_app.py']],
])('clients/%s/README.md shows code that the tests run', (language, programs) => {
  const run = programs.map((name) => read(`test/examples/languages/${name}`)).join()
  const page = read(`clients/${language}/README.md`)
  const blocks = [...page.matchAll(/```(?:php|python)\n([\s\S]*?)```/g)].map(([, code]) => code ?? '')
  expect(blocks).toHaveLength(2)
  expect(blocks.filter((code) => !run.includes(code))).toEqual([])
})

it('docs/upgrade.md states of every migration the oldest program that runs on it, as its file does', () => {
  const folder = 'packages/ishtirak/migrations'
  const stated = readdirSync(path.join(root, folder)).map((file, index) => {
    const [, oldest = String(index + 1)] = /^-- oldest-code: (\d+)$/m.exec(read(`${folder}/${file}`)) ?? []
    return [file.replace(/\.sql$/, ''), oldest]
  })
  const rows = [...read('docs/upgrade.md').matchAll(/^\| `(\d{4}_\w+)` \| (\d+) \| (stop|one by one)/gm)]
  expect(rows.map(([, name, oldest]) => [name, oldest])).toEqual(stated)
  const needsStop = rows.map(([, , oldest], index) => oldest !== (rows[index - 1]?.[2] ?? '0'))
  expect(rows.map(([, , , way]) => way === 'stop')).toEqual(needsStop)
  expect(read('CHANGELOG.md')).toContain(`\`${stated.at(-1)?.[0]}\``)
})

it('docs/selling.md lists the offers of its catalogue, and shows a limit as it stands there', () => {
  const file = path.join(root, 'docs/selling.example.json')
  const { plans } = readPlans(file)
  const prices = (plan: Plan) => offersOf(plan).map(({ price }) => price.amount)
  const page = read('docs/selling.md')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, id, cells]) => [id, cells])
  const sold = plans.filter(({ price }) => price > 0)
  expect(rows).toEqual(
    sold.map((plan) => [plan.id, [...prices(plan), plan.limits.build_minutes].join(' | ')]),
  )
  expect(sold.map((plan) => offersOf(plan).map(({ months }) => months))).toEqual(sold.map(() => [1, 6, 12]))
  const [shown = ''] = /(?<=```json\n)[\s\S]*?(?=```)/.exec(page) ?? []
  expect(JSON.parse(shown)).toEqual(JSON.parse(readFileSync(file, 'utf8')).limits.build_minutes)
})
