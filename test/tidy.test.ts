// The rules that a newcomer relies on, read from the sources: the order of rooms, cycles, clocks, sizes, dead
// files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { mutations } from './mutations/mutations.mjs'

const packages = path.resolve(import.meta.dirname, '../packages')
const source = path.join(packages, 'ishtirak/src')

/**
 * The one order, from the top: a file imports from its own folder and from lines further down, types
 * included.
 */
const ORDER = [
  ['main'],
  ['setup'],
  ['console', 'portal', 'desk'],
  ['overview'],
  ['books', 'reconciliation', 'backup', 'privacy', 'access'],
  ['bank-statements', 'proformas'],
  ['transfers', 'codes', 'grants'],
  ['mail', 'documents', 'limits', 'events', 'buyers'],
  ['checkout'],
  ['ledger'],
  ['acts'],
  ['pages'],
  ['http'],
  ['database'],
  ['i18n'],
  ['runtime'],
  ['core'],
]
/** A capability that is not named stands on the line of `codes`. */
const lineOf = (room: string): number => {
  const line = ORDER.findIndex((one) => one.includes(room))
  return line < 0 && capabilities().includes(room) ? lineOf('codes') : line
}
/** Folders inside such a room do not import each other: a gateway another, a kind of database another. */
const SIBLINGS = ['checkout', 'database']

const SQL = /\b(select|from|where|join|and|is null|coalesce|interval|case|limit|timestamptz|bigint)\b|[<>]=/
/** Each filter of a list has its own query, or an index that only its own condition uses. */
const LIST_FILTERS = ['isByMethod', 'listed', 'publicStatusSql', 'trail']
/** The one insert into the trail, and the names of a description's columns. */
const SHARED_TEXTS = ['insertAudit', 'columnsOf']
/**
 * The inbox is put together from the kinds of capabilities, a backup from the tables of its schema, and the
 * export and the erasure of a person from lists of tables.
 */
const MADE_OF_A_LIST = [
  ...['overview/inbox.sql.ts', 'backup/backup.sql.ts'],
  ...['privacy/export.sql.ts', 'privacy/erase.sql.ts'],
]

/** A comment that starts so and has no such verb continues the name above it instead of explaining it. */
const STARTS =
  'Of|As|By|What|Whose|Whom|Who|The same|Those|None|Nothing|Where|From|To|For|With|Without|Beside|In|On|At' +
  '|Up to'
const VERBS =
  'is|are|was|were|has|have|can|may|must|does|do|returns?|refuses?|throws?|holds?|keeps?|gives?|takes?' +
  '|needs?|means?|shows?|says?|uses?|stands?|comes?|goes|makes?|reads?|writes?|sets?|stays?|counts?|begins?' +
  '|ends?'
const CONTINUES = new RegExp(`^(${STARTS})\\b(?![^.]*\\b(${VERBS})\\b)`)
const ODD =
  /\b(whoever|nobody|whom|whereby|thereof|hitherto|lest|befalls?|outrun|strangers?|turnstile|betimes)\b/i
const COMMENT = /^(?:\/\/|\/\*\*|--|\*)\s?(.*?)(?:\*\/)?$/

/** A test in another worker may be building: `dist.4711` until it is done. */
const NOT_SOURCES = /^(node_modules|dist(\.\d+)?|test|bin|migrations)$/
const files = walk(packages, /(?<!\.test)\.tsx?$/, NOT_SOURCES)
const known = new Set(files)
/** All sources, tests included. */
const written = ['packages', 'test', 'scripts', 'bench'].flatMap((folder) =>
  walk(path.join(packages, '..', folder), /\.(tsx?|sql|mjs)$/, /^(node_modules|dist(\.\d+)?)$/),
)
const nameOf = (file: string) => path.relative(source, file)
const isService = (file: string) => !nameOf(file).startsWith('..')
const service = files.filter(isService)
const packageOf = (file: string) => path.relative(packages, file).split(path.sep)[0] ?? ''
const foldersOf = (file: string) => path.dirname(nameOf(file)).split(path.sep)
const roomOf = (file: string) => foldersOf(file)[0] ?? ''
/** By `import` and `export … from`, and by `import()`, which loads only when it is called. */
const IMPORTED = /^(?:import|export)\s(?:[^'"`]*?\bfrom )?'([^']+)'|\bimport\('([^']+)'\)/gm
const EXPORTED = /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type) (\w+)/gm
const imports = new Map(files.map((file) => [file, importsOf(file)]))
/** The folders of the list in main/capabilities.ts. */
const capabilities = () =>
  (imports.get(path.join(source, 'main/capabilities.ts'))?.ours ?? []).map((file) => roomOf(file))

describe('the rooms', () => {
  it('hold every file of the service, in one order', () => {
    const homeless = service.filter((file) => lineOf(roomOf(file)) < 0).map(nameOf)
    expect(homeless, 'a new folder has its place in ORDER, above').toEqual([])
  })

  it('stand in ARCHITECTURE.md, each once', () => {
    const page = readFileSync(path.join(packages, '../ARCHITECTURE.md'), 'utf8')
    const [, tree = ''] = /^ {2}ishtirak\/src\/(.*?)^ {2}client\//ms.exec(page) ?? []
    const drawn = [...tree.matchAll(/ {2}([a-z0-9-]+)\/(?=\s)/g)].map(([, room]) => room)
    expect(drawn.toSorted()).toEqual([...new Set(service.map(roomOf))].toSorted())
  })

  it('import from lines further down the list only, types included', () => {
    const upwards = service.flatMap((file) =>
      oursOf(file)
        .filter((target) => !mayImport(file, target))
        .map((target) => `${nameOf(file)} -> ${nameOf(target)}`),
    )
    expect(upwards).toEqual([])
  })

  it('core imports no package, awaits nothing and reads no clock; the client imports none either', () => {
    const core = service.filter((file) => roomOf(file) === 'core')
    const client = files.filter((file) => packageOf(file) === 'client')
    const packages = [...core, ...client].flatMap((file) => imports.get(file)?.packages ?? [])
    expect(packages).toEqual([])
    expect(core.filter((file) => /\b(async|await)\b/.test(codeOf(file)))).toEqual([])
  })

  it('a package imports no file of another', () => {
    const across = files.flatMap((file) =>
      oursOf(file).filter((target) => packageOf(target) !== packageOf(file)),
    )
    expect(across).toEqual([])
  })

  it('the emulator is not known outside of main, and knows nothing of the service', () => {
    const knows = service.filter((file) =>
      imports.get(file)?.packages.some((name) => name.startsWith('chargily-emulator')),
    )
    expect(knows.filter((file) => roomOf(file) !== 'main').map(nameOf)).toEqual([])
    const emulator = files.filter((file) => packageOf(file) === 'chargily-emulator')
    const ours = emulator.flatMap((file) => imports.get(file)?.packages ?? [])
    expect(ours.filter((name) => /ishtirak/.test(name))).toEqual([])
  })

  it('speak SQL in files named for it, and in the database room', () => {
    const speaks = /`\s*(select|insert into|update|delete from|with)\s|\bstatement\(/i
    const mayNot = (file: string) => roomOf(file) !== 'database' && !file.endsWith('.sql.ts')
    expect(service.filter((file) => mayNot(file) && speaks.test(codeOf(file))).map(nameOf)).toEqual([])
  })

  it('write each query as one text: only these functions make a part of one from parameters', () => {
    const plain = service.filter((file) => file.endsWith('.sql.ts') && !MADE_OF_A_LIST.includes(nameOf(file)))
    const makers = [...new Set(plain.flatMap(textMakersIn))]
    expect(makers.toSorted()).toEqual([...LIST_FILTERS, ...SHARED_TEXTS].toSorted())
  })

  it('no files import each other in a circle', () => {
    const isInCircle = (file: string) => reachedFrom(oursOf(file)).has(file)
    expect(files.filter(isInCircle).map(nameOf)).toEqual([])
  })
})

describe('the sources', () => {
  it('read the clock and draw random numbers in runtime only; the emulator in one file of its own', () => {
    const reads = /Date\.now\(|Math\.random\(|new Date\(\)/
    const allowed = (file: string) =>
      roomOf(file) === 'runtime' ||
      path.relative(packages, file) === path.join('chargily-emulator', 'src', 'clock.ts')
    const elsewhere = files.filter((file) => !allowed(file) && reads.test(codeOf(file)))
    expect(elsewhere.map((file) => nameOf(file))).toEqual([])
  })

  it('export each name from one file', () => {
    const declared = service.flatMap((file) => exportsOf(file).map((name) => ({ name, file: nameOf(file) })))
    const last = new Map(declared.map(({ name, file }) => [name, file]))
    expect(declared.filter(({ name, file }) => last.get(name) !== file)).toEqual([])
  })

  it('open by saying what the file is', () => {
    const mute = files.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(readFileSync(file, 'utf8')))
    expect(mute.map((file) => nameOf(file))).toEqual([])
  })

  it('explain: no comment only continues a name, and none has an odd word', () => {
    expect(written.flatMap(unclearCommentsIn)).toEqual([])
  })

  it('hold no leftover notes, no `any`, and nothing printed past the log', () => {
    const leftovers = files.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b/.test(readFileSync(file, 'utf8')))
    // Where the platform has given nothing to hear of its errors.
    const mayPrint = path.join(packages, 'client/src/events.ts')
    const printing = files.filter(
      (file) =>
        file !== mayPrint && /\bconsole\.(?:log|info|warn|error|debug|trace|dir|table)\b/.test(codeOf(file)),
    )
    expect([...leftovers, ...printing].map((file) => nameOf(file))).toEqual([])
  })

  it('are all reached from a command or from what a package exports', () => {
    const OF_SERVICE = ['cli', 'commands', 'create-ishtirak', 'internal'].map((name) => `main/${name}.ts`)
    const OF_OTHERS = [
      'client/src/index',
      'client/src/events',
      'demo/src/index',
      'chargily-emulator/src/command',
    ]
    const reached = reachedFrom([
      ...OF_SERVICE.map((name) => path.join(source, name)),
      ...OF_OTHERS.map((name) => path.join(packages, `${name}.ts`)),
    ])
    expect(files.filter((file) => !reached.has(file)).map(nameOf)).toEqual([])
  })
})

it('no line of a .ts, .tsx, .sql or .mjs file is longer than 110 characters', () => {
  const long = written.flatMap((file) =>
    [...readFileSync(file, 'utf8').split('\n').entries()]
      .filter(([, line]) => [...line].length > 110)
      .map(([index]) => `${path.relative(path.dirname(packages), file)}:${index + 1}`),
  )
  expect(long).toEqual([])
})

it('the mutations of `npm run nightly -- mutate` can be made, and their tests exist', () => {
  const root = path.dirname(packages)
  const stands = ({ file, from }: (typeof mutations)[number]) =>
    readFileSync(path.join(root, file), 'utf8').split(from).length === 2
  const isFound = (name: string) => existsSync(path.join(root, name))
  const wrong = mutations.filter((one) => !stands(one) || !one.tests.every(isFound))
  expect(wrong.map(({ rule }) => rule)).toEqual([])
})

function unclearCommentsIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
  return lines.flatMap((line, index) => {
    const comment = COMMENT.exec(line)?.[1] ?? ''
    const isFirst = line.startsWith('/**') || !/^(\/\/|--|\*)/.test(lines[index - 1] ?? '')
    const continues = isFirst && comment.split(' ').length <= 12 && CONTINUES.test(comment)
    return continues || ODD.test(comment)
      ? `${path.relative(path.dirname(packages), file)}:${index + 1} ${comment}`
      : []
  })
}

/** The functions with parameters that have SQL in them, and those that SQL outside of a function calls. */
function textMakersIn(file: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node, maker: string | null): void => {
    const own = ts.isFunctionLike(node) && node.parameters.length > 0
    const within = own ? (maker ?? nameOfFunction(node)) : maker
    if (ts.isTemplateLiteral(node) && SQL.test(node.getText())) {
      if (within !== null) found.push(within)
      else if (ts.isTemplateExpression(node))
        for (const { expression } of node.templateSpans)
          if (ts.isCallExpression(expression)) found.push(expression.expression.getText())
    }
    ts.forEachChild(node, (child) => visit(child, within))
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true), null)
  return found
}

function nameOfFunction({ parent, ...node }: ts.Node & { readonly name?: ts.Node }): string {
  const named = node.name ?? ('name' in parent ? (parent.name as ts.Node) : undefined)
  return named?.getText() ?? '(a function without a name)'
}

function mayImport(from: string, to: string): boolean {
  const [room, folder] = foldersOf(from)
  const [target, targetFolder] = foldersOf(to)
  if (room !== target) return lineOf(room ?? '') < lineOf(target ?? '')
  return !SIBLINGS.includes(room ?? '') || [undefined, folder].includes(targetFolder) || folder === undefined
}

function walk(folder: string, wanted: RegExp, without: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return without.test(entry.name) ? [] : walk(file, wanted, without)
    return wanted.test(entry.name) ? [file] : []
  })
}

/** The code without its comments: a word in a comment breaks no rule. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1')
}

function oursOf(file: string): readonly string[] {
  return imports.get(file)?.ours ?? []
}

/** These files and all that they import. */
function reachedFrom(starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [...starts]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (!reached.has(file)) waiting.push(...oursOf(file))
    reached.add(file)
  }
  return reached
}

function importsOf(file: string): { ours: string[]; packages: string[] } {
  const text = readFileSync(file, 'utf8')
  const names = [...text.matchAll(IMPORTED)].map(([, from = '', called = from]) => called)
  const ours = names.flatMap((name) => {
    const base = path.resolve(path.dirname(file), name.replace(/\.js$/, ''))
    return name.startsWith('.') ? ([`${base}.ts`, `${base}.tsx`].find((one) => known.has(one)) ?? []) : []
  })
  return { ours, packages: names.filter((name) => !name.startsWith('.')) }
}

/** Declared there: what is exported again belongs to the other file. */
function exportsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(EXPORTED)].map(([, name = '']) => name)
}
