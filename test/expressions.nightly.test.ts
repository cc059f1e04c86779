// No text that a caller sends may cost more than its length: the expressions of the sources, those of the
// schemas, and the call that cost the most, at the largest length that is let in.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { BODY_LIMIT_BYTES } from '../packages/ishtirak/src/http/request.js'
import { emptyDatabase } from './support/databases.js'
import { createWorld } from './support/world.js'

const source = path.resolve(import.meta.dirname, '../packages')

/** These read our own text or the operator's configuration, never a caller's. */
const OWN_TEXT = [
  'chargily-emulator/src/emulator.ts',
  'client/src/call.ts',
  'ishtirak/src/pages/portal-frame.tsx',
  'ishtirak/src/documents/render-receipt.ts',
  'ishtirak/src/runtime/config.ts',
  'ishtirak/src/runtime/environment.ts',
  'ishtirak/src/runtime/seller.ts',
]
const isOwnText = (file: string) => OWN_TEXT.includes(file) || file.endsWith('/settings.ts')

/** What makes an expression try again and again: a long run of what it takes, then what it does not. */
const STARTS = ['', 'a@', 'bearer ']
const RUNS = ['a', '0', ' ', '\n', '/', '.', '=', '"', ';', 'a ', 'a@', '\u200b']
const ENDS = ['\u0001', ' x']
/** A linear expression takes about 1 ms for 64 KiB, a quadratic one seconds. */
const MOST_MS = 60

describe('at the largest length', () => {
  it('no expression of the sources takes more than time in proportion', () => {
    const slow = expressionsOfSources().filter(({ expression }) => costliestMs(expression) > MOST_MS)
    expect(slow.map(({ file, expression }) => `${file} ${expression}`)).toEqual([])
    // Some seconds of computing.
  })

  it('no pattern of the routes’ schemas does', async () => {
    await using world = await createWorld(await emptyDatabase('pglite'))
    const patterns = patternsIn(JSON.parse(JSON.stringify(world.service.app.swagger())))
    expect(patterns.size).toBeGreaterThan(5)
    const slow = [...patterns].filter((pattern) => costliestMs(new RegExp(pattern, 'u')) > MOST_MS)
    expect(slow).toEqual([])
  })
})

function expressionsOfSources(): { file: string; expression: RegExp }[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /^[\w-]+\/src\/.*\.tsx?$/.test(file) && !isOwnText(file))
    .flatMap((file) => {
      const parsed = ts.createSourceFile(file, readFileSync(path.join(source, file), 'utf8'), 99, true)
      const found: RegExp[] = []
      const visit = (node: ts.Node): void => {
        if (ts.isRegularExpressionLiteral(node)) {
          const end = node.text.lastIndexOf('/')
          found.push(new RegExp(node.text.slice(1, end), node.text.slice(end + 1).replace('g', '')))
        }
        ts.forEachChild(node, visit)
      }
      visit(parsed)
      return found.map((expression) => ({ file, expression }))
    })
}

function patternsIn(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found
  for (const [name, value] of Object.entries(node)) {
    if (name === 'pattern' && typeof value === 'string') found.add(value)
    else patternsIn(value, found)
  }
  return found
}

/** The most processor time that it takes for any of the texts. */
function costliestMs(expression: RegExp): number {
  let most = 0
  for (const text of texts) {
    most = Math.max(most, leastMs(expression, text))
    if (most > MOST_MS) return most
  }
  return most
}

/**
 * The least of several times where one is long: what else the process does meanwhile, such as a collection,
 * only adds to it.
 */
function leastMs(expression: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 10 && least > MOST_MS; time++) {
    const before = process.cpuUsage()
    expression.test(text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

const texts = STARTS.flatMap((start) =>
  RUNS.flatMap((run) => ENDS.map((end) => start + run.repeat(BODY_LIMIT_BYTES / run.length) + end)),
)
