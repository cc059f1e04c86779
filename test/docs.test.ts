// The documents are true: every code is listed, every link leads somewhere, every command exists.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { URGENCIES } from '../packages/ishtirak/src/acts/inbox-kind.js'
import { ERROR_CODES, ERRORS, type ErrorCode } from '../packages/ishtirak/src/core/error.js'
import { offersOf, type Plan } from '../packages/ishtirak/src/core/plan.js'
import { CATALOGS } from '../packages/ishtirak/src/i18n/messages.js'
import { CAPABILITIES } from '../packages/ishtirak/src/main/capabilities.js'
import { readConfig } from '../packages/ishtirak/src/main/config.js'
import { ConfigError } from '../packages/ishtirak/src/runtime/config-file.js'
import { nodeProblem } from '../packages/ishtirak/src/runtime/package.js'
import { readPlans } from '../packages/ishtirak/src/runtime/plans-file.js'

const root = path.resolve(import.meta.dirname, '..')
const documents = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
  ...['packages', 'clients', 'examples'].flatMap((folder) =>
    (existsSync(path.join(root, folder)) ? readdirSync(path.join(root, folder)) : []).map((name) =>
      path.join(folder, name, 'README.md'),
    ),
  ),
].filter((name) => existsSync(path.join(root, name)))
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')

it('docs/errors.md lists every code with its status, and no other', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\* (\d{3}): ((?:.+\n)(?: {2}.+\n)*)/gm)]
  const listed = rows.flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code]) => [code, Number(status)]),
  )
  expect(listed.sort()).toEqual(ERROR_CODES.map((code) => [code, ERRORS[code]]).sort())
})

it('docs/inbox.md lists every kind of entry of the inbox, the most urgent first', () => {
  const [list = ''] = read('docs/inbox.md').split('\n## ')
  const listed = [...list.matchAll(/^\* `([a-z_]+)`:/gm)].map(([, name]) => name)
  const kinds = CAPABILITIES.flatMap(({ inbox = [] }) => inbox)
  const urgent = URGENCIES.flatMap((urgency) => kinds.filter((kind) => kind.urgency === urgency))
  expect([...listed].sort()).toEqual(kinds.map(({ name }) => name).sort())
  const urgencies = listed.map((name) => kinds.find((kind) => kind.name === name)?.urgency)
  expect(urgencies).toEqual(urgent.map(({ urgency }) => urgency))
})

it('a problem that is shown has the title, status and detail that the service sends', () => {
  const shown = ['docs/errors.md', 'deploy/nginx.conf', 'deploy/Caddyfile'].flatMap((name) =>
    [...read(name).matchAll(/\{\s*"type":[^{}]*"code":[^{}]*\}/g)].map(([text]) => JSON.parse(text)),
  )
  expect(shown.length).toBeGreaterThan(2)
  for (const { code, title, status, detail } of shown) {
    const sent = { status: ERRORS[code as ErrorCode], ...CATALOGS.en.error[code as ErrorCode] }
    expect({ title, status, detail }).toEqual(sent)
  }
})

it('no installed package needs a later Node than ours, nor does what docs/mount.md overrides', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  const wanted = Object.entries<{ dev?: true; devOptional?: true; engines?: { node?: string } }>(packages)
    .filter(([name, { dev, devOptional }]) => name.startsWith('node_modules/') && !dev && !devOptional)
    .flatMap(([name, { engines }]) => (engines?.node ? [[name, engines.node] as const] : []))
  expect(wanted.length).toBeGreaterThan(5)
  const isLater = ([, node]: readonly [string, string]) =>
    nodeProblem('v20.19.0', node.split('||').at(-1) ?? '') !== null
  expect(wanted.filter(isLater)).toEqual([])
  const { dependencies } = JSON.parse(read('packages/ishtirak/package.json'))
  const pinned = dependencies['light-my-request']
  expect(read('docs/mount.md')).toContain(`"overrides": { "light-my-request": "${pinned}" }`)
})

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(name: string): string[] {
  const headings = read(name)
    .replace(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\]\([^)]*\)/g, '')
      .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** What a page links to: files of the repository, with the anchor where there is one. */
function linksOf(name: string): { file: string; anchor: string }[] {
  return [...read(name).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
    ([, link = '', anchor = '']) => ({
      file: link === '' ? name : path.join(path.dirname(name), link),
      anchor,
    }),
  )
}

it('a page links only to what exists', () => {
  const isBroken = ({ file, anchor }: { file: string; anchor: string }) =>
    !existsSync(path.join(root, file)) ||
    (anchor && file.endsWith('.md') && !anchorsOf(file).includes(anchor))
  const broken = documents.flatMap((name) =>
    linksOf(name)
      .filter(isBroken)
      .map((link) => [name, link]),
  )
  expect(broken).toEqual([])
})

it('another page links to each page', () => {
  const linked = new Set(
    documents.flatMap((name) =>
      linksOf(name).flatMap(({ file }) => (file === name ? [] : [file, path.join(file, 'README.md')])),
    ),
  )
  expect(documents.filter((name) => name !== 'README.md' && !linked.has(name))).toEqual([])
})

it('what users read is at most 18,000 words', () => {
  const forUsers = documents.filter(
    (name) => !/^(ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)|^docs.internals/.test(name),
  )
  const words = forUsers.flatMap((name) => read(name).split(/\s+/).filter(Boolean))
  expect(words.length).toBeLessThanOrEqual(18_000)
})

/** It is the text of a page without code, tables and comments. */
const proseOf = (name: string) =>
  read(name)
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/^\|.*$|<!--[\s\S]*?-->/gm, '')

it('no sentence has over 30 words, no line of prose over 150 characters, no cell of a table over 200', () => {
  const written = documents.filter((name) => name !== 'CHANGELOG.md')
  const sentencesOf = (name: string) =>
    proseOf(name)
      .split(/\n\s*\n|\n(?=\s*(?:[*-]|\d+\.)\s)|\n(?=#)/)
      .flatMap((block) => block.replace(/`[^`]*`|\]\([^)]*\)/g, '').split(/(?<=[.!?:])["*)]*\s+/))
  const isLong = (sentence: string) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > 30
  const long = written.flatMap((name) => sentencesOf(name).filter(isLong))
  expect(long).toEqual([])
  const linesOf = (name: string) => proseOf(name).split('\n')
  const isWide = (line: string) => line.length > 150 && !/\]\(|<img/.test(line)
  expect(written.flatMap((name) => linesOf(name).filter(isWide))).toEqual([])
  const rows = written.flatMap((name) => [...read(name).matchAll(/^\|.*$/gm)])
  const cells = rows.flatMap(([row]) => row.replace(/\]\([^)]*\)/g, '').split('|'))
  expect(cells.filter((cell) => cell.trim().length > 200)).toEqual([])
})

/** A package's README is read where the package is, so its links are absolute. */
const REPOSITORY = 'https://github.com/ishtirak/ishtirak/blob/main/'

it('a page names only files of this repository that exist', () => {
  const missing = documents.flatMap((name) => {
    const named = read(name).split(`(${REPOSITORY}`).slice(1)
    const files = named.map((rest) => rest.split(/[)#]/, 1)[0] ?? '')
    return files.filter((file) => !existsSync(path.join(root, file))).map((file) => [name, file])
  })
  expect(missing).toEqual([])
  const ofPackages = documents.filter((name) => /^(packages|clients)/.test(name))
  expect(ofPackages.filter((name) => /\]\(\.\.?\//.test(read(name)))).toEqual([])
})

/** Of one variable alone: what is wrong with its value. */
function misfitOf(name: string, value: string): string | undefined {
  try {
    readConfig({ [name]: value })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.find((problem) => problem.startsWith(`${name} must be`))
  }
}

it('a page gives variables only values that they may have', () => {
  const misfits = documents.flatMap((name) => {
    const given = [...read(name).matchAll(/\b([A-Z][A-Z_]+)=([^\s`$"'|<>…]+)(?=[\s`])/g)]
    const wrong = given.flatMap(([, variable = '', value = '']) => misfitOf(variable, value) ?? [])
    return wrong.map((one) => [name, one])
  })
  expect(misfits).toEqual([])
})

it('docs/internals/dependencies.md says why of every dependency', () => {
  const manifests = ['.', ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)]
  const named = manifests.flatMap((folder) => {
    const { dependencies, devDependencies } = JSON.parse(read(`${folder}/package.json`))
    return Object.keys({ ...dependencies, ...devDependencies })
  })
  const ours = ['chargily-emulator', '@ishtirak/demo']
  const document = read('docs/internals/dependencies.md').replace(
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

it('the samples in TypeScript compile under `strict`, those of a page together', () => {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: ['node'],
    paths: { '@ishtirak/client': [path.join(root, 'packages/client/src/index.ts')] },
  }
  const samples = documents.flatMap((name) => {
    const blocks = [...read(name).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
    return blocks.length === 0 ? [] : [[path.join(root, `${name}.ts`), blocks.join('\n')] as const]
  })
  expect(samples.length).toBeGreaterThan(1)
  const texts = new Map(samples)
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (file) => texts.has(file) || fileExists(file)
  host.readFile = (file) => texts.get(file) ?? readFile(file)
  host.getSourceFile = (file, version, ...others) => {
    const text = texts.get(file)
    return text === undefined
      ? getSourceFile(file, version, ...others)
      : ts.createSourceFile(file, text, version)
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  const wrong = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  expect(wrong).toEqual([])
})

it('what an installation of the Python client leaves behind is ignored by git', () => {
  const left = ['build/lib', 'ishtirak.egg-info/PKG-INFO', 'ishtirak/__pycache__/client.pyc'].map(
    (name) => `clients/python/${name}`,
  )
  const ignored = execFileSync('git', ['check-ignore', ...left], { cwd: root, encoding: 'utf8' })
  expect(ignored.trim().split('\n')).toEqual(left)
})

it('the page of a client in PHP or Python shows code that the tests run', () => {
  const programs = { php: ['plain.php', 'laravel/routes.php'], python: ['views.py', 'wsgi_app.py'] }
  for (const [language, names] of Object.entries(programs)) {
    const run = names.map((name) => read(`test/examples/languages/${name}`)).join()
    const page = read(`clients/${language}/README.md`)
    const blocks = [...page.matchAll(/```(?:php|python)\n([\s\S]*?)```/g)].map(([, code]) => code ?? '')
    expect(blocks.length).toBeGreaterThan(1)
    expect(blocks.filter((code) => !run.includes(code))).toEqual([])
  }
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

it('docs/selling.md lists the offers of its catalogue', () => {
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
})
