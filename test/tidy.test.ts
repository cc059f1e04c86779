// The house rules that a newcomer relies on, read from the sources: floors, cycles, clocks, sizes, dead files.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const source = path.join(root, 'src')

/** A file imports from a lower floor or from its own folder, types included. Neighbours do not know each other. */
const FLOORS: Record<string, number> = {
  domain: 0,
  runtime: 1,
  store: 2,
  provider: 2,
  billing: 3,
  http: 4,
  jobs: 4,
  // Takes types from below, and leaves everything else: it runs in the platform's process.
  client: 5,
  '.': 5,
}
/** Stand alone: they import nothing of ours. The emulator so that two readings of one contract stay two. */
const STANDALONE = ['emulator']

const files = walk(source)
const folderOf = (file: string) => {
  const relative = path.relative(source, file)
  return relative.includes(path.sep) ? (relative.split(path.sep)[0] ?? '.') : '.'
}
const parsed = new Map(
  files.map((file) => [
    file,
    ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true),
  ]),
)
const imports = new Map(files.map((file) => [file, importsOf(file)]))

describe('the floors', () => {
  it('every folder of src stands on one', () => {
    const folders = [...new Set(files.map(folderOf))]
    expect(folders.filter((folder) => !(folder in FLOORS) && !STANDALONE.includes(folder))).toEqual([])
  })

  it('a file imports from a lower floor or its own folder only', () => {
    const violations = files.flatMap((file) =>
      (imports.get(file)?.ours ?? [])
        .filter((target) => !mayImport(folderOf(file), folderOf(target)))
        .map((target) => `${path.relative(source, file)} -> ${path.relative(source, target)}`),
    )
    expect(violations).toEqual([])
  })

  it('the domain imports no package, awaits nothing and reads no clock', () => {
    const domain = files.filter((file) => folderOf(file) === 'domain')
    expect(domain.flatMap((file) => imports.get(file)?.packages ?? [])).toEqual([])
    expect(domain.filter((file) => /\b(async|await)\b/.test(codeOf(file)))).toEqual([])
  })

  it('the client brings along nothing but itself: types of ours, and no package', () => {
    const client = files.filter((file) => folderOf(file) === 'client')
    expect(client.flatMap((file) => imports.get(file)?.packages ?? [])).toEqual([])
    const brought = client.flatMap((file) => imports.get(file)?.atRunTime ?? [])
    expect(brought.filter((target) => folderOf(target) !== 'client')).toEqual([])
  })

  it('only the store speaks SQL', () => {
    const speaks = /`\s*(select|insert into|update|delete from|with)\s/i
    const elsewhere = files.filter((file) => folderOf(file) !== 'store' && speaks.test(codeOf(file)))
    expect(elsewhere.map((file) => path.relative(source, file))).toEqual([])
  })

  it('no files import each other in a circle', () => {
    const reaches = (start: string) => {
      const seen = new Set<string>()
      const waiting = [...(imports.get(start)?.atRunTime ?? [])]
      for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        if (file === start) return true
        if (!seen.has(file)) waiting.push(...(imports.get(file)?.atRunTime ?? []))
        seen.add(file)
      }
      return false
    }
    expect(files.filter(reaches).map((file) => path.relative(source, file))).toEqual([])
  })
})

describe('the sources', () => {
  it('read the clock and roll dice in runtime only; the emulator in one file of its own', () => {
    const reads = /Date\.now\(|Math\.random\(|new Date\(\)/
    const allowed = (file: string) =>
      folderOf(file) === 'runtime' ||
      path.relative(source, file) === path.join('emulator', 'clock-and-dice.ts')
    const elsewhere = files.filter((file) => !allowed(file) && reads.test(codeOf(file)))
    expect(elsewhere.map((file) => path.relative(source, file))).toEqual([])
  })

  it('stay under 300 lines a file and 70 a function', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 301)
    expect(long.map((file) => path.relative(source, file))).toEqual([])
    const longFunctions = files.flatMap((file) => functionsOf(file).filter(({ lines }) => lines > 70))
    expect(longFunctions).toEqual([])
  })

  it('open by saying what the file is', () => {
    const mute = files.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(readFileSync(file, 'utf8')))
    expect(mute.map((file) => path.relative(source, file))).toEqual([])
  })

  it('hold no leftover notes, no `any`, and nothing printed past the log', () => {
    const leftovers = files.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b/.test(readFileSync(file, 'utf8')))
    const printing = files.filter((file) => /\bconsole\./.test(codeOf(file)))
    expect([...leftovers, ...printing].map((file) => path.relative(source, file))).toEqual([])
  })

  it('are all reached from the command line or the client', () => {
    const doors = ['cli.ts', 'commands.ts', path.join('client', 'index.ts')].map((door) =>
      path.join(source, door),
    )
    const reached = new Set(doors)
    const waiting = [...doors]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      for (const target of imports.get(file)?.ours ?? []) {
        if (!reached.has(target)) waiting.push(target)
        reached.add(target)
      }
    }
    expect(files.filter((file) => !reached.has(file)).map((file) => path.relative(source, file))).toEqual([])
  })
})

function mayImport(from: string, to: string): boolean {
  if (from === to) return true
  if (STANDALONE.includes(from)) return false
  if (STANDALONE.includes(to)) return FLOORS[from] === 5
  return (FLOORS[to] ?? 9) < (FLOORS[from] ?? 0)
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return walk(file)
    return /\.tsx?$/.test(entry.name) ? [file] : []
  })
}

/** The code without its comments: a word in a comment breaks no rule. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '$1')
}

function importsOf(file: string): { ours: string[]; atRunTime: string[]; packages: string[] } {
  const found = { ours: [] as string[], atRunTime: [] as string[], packages: [] as string[] }
  for (const node of parsed.get(file)?.statements ?? []) {
    const isImport = ts.isImportDeclaration(node)
    if (!isImport && !ts.isExportDeclaration(node)) continue
    if (!node.moduleSpecifier || !ts.isStringLiteral(node.moduleSpecifier)) continue
    const name = node.moduleSpecifier.text
    if (!name.startsWith('.')) found.packages.push(name)
    else {
      const base = path.resolve(path.dirname(file), name.replace(/\.js$/, ''))
      const target = [`${base}.ts`, `${base}.tsx`].find((candidate) => files.includes(candidate))
      if (!target) continue
      found.ours.push(target)
      const typesOnly = isImport ? node.importClause?.isTypeOnly : node.isTypeOnly
      if (!typesOnly) found.atRunTime.push(target)
    }
  }
  return found
}

function functionsOf(file: string): { where: string; lines: number }[] {
  const tree = parsed.get(file)
  if (!tree) return []
  const found: { where: string; lines: number }[] = []
  const lineOf = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lines = lineOf(node.end) - lineOf(node.getStart(tree)) + 1
      found.push({ where: `${path.relative(source, file)}:${lineOf(node.getStart(tree)) + 1}`, lines })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}
