// npm run nightly -- mutate [PART…]: breaks each rule of test/mutations/mutations.txt in a copy of the
// sources, runs the test files that should notice, and prints the test that falls. Fails if a mutation
// survives or no longer applies. Only mutations with a PART in their name or their test files are tried.
import { execFile, execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mutations } from '../test/mutations/mutations.mjs'

const root = path.dirname(import.meta.dirname)
const parts = process.argv.slice(2)
const isMeant = ({ rule, tests }) =>
  parts.some((part) => [rule, ...tests].some((text) => text.includes(part)))
const wanted = mutations.filter((one) => parts.length === 0 || isMeant(one))
if (wanted.length === 0) throw new Error(`no rule is meant by ${parts.join(', ')}`)
/** Each with a processor and a copy of its own: a single test file uses one of them. */
const COPIES = 2
const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-mutate-'))

try {
  const copies = Array.from({ length: COPIES }, (_, at) => copySources(path.join(folder, String(at))))
  const baseline = await failedTests(copies[0], [...new Set(wanted.flatMap(({ tests }) => tests))])
  if (baseline.length > 0) throw new Error(`without a mutation these fall already:\n${baseline.join('\n')}`)
  const left = [...wanted]
  const survived = []
  const work = async (copy) => {
    for (let next = left.shift(); next; next = left.shift())
      if (!(await isCaught(copy, next))) survived.push(next.rule)
  }
  await Promise.all(copies.map(work))
  say(`\n${wanted.length - survived.length} of ${wanted.length} mutations are caught`)
  for (const rule of survived) say(`✗ ${rule}`)
  process.exitCode = survived.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Everything that git knows, with the installed packages linked. */
function copySources(copy) {
  mkdirSync(copy)
  const pipe = 'git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$0"'
  execFileSync('sh', ['-c', pipe, copy], { cwd: root })
  for (const folder of ['.', ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)]) {
    const installed = path.join(root, folder, 'node_modules')
    if (existsSync(installed)) symlinkSync(installed, path.join(copy, folder, 'node_modules'))
  }
  return copy
}

async function isCaught(copy, { rule, file, from, to, tests }) {
  const target = path.join(copy, file)
  const source = readFileSync(target, 'utf8')
  const places = source.split(from).length - 1
  if (places !== 1) {
    say(`✗ ${rule}: what it replaces stands ${places} times in ${file}`)
    return false
  }
  const mutant = source.replace(from, () => to)
  writeFileSync(target, mutant)
  // A run that is given up at the first failure may lose it: what seems to survive is run to its end.
  const found = await failedTests(copy, tests, ['--bail=1'])
  const [first] = found.length > 0 ? found : await failedTests(copy, tests)
  writeFileSync(target, source)
  say(first === undefined ? `✗ ${rule}: no test falls` : `✓ ${rule}\n    ${first}`)
  return first !== undefined
}

/** The full names of the tests that fail in these files, and the files that cannot be run. */
async function failedTests(copy, tests, options = []) {
  const report = path.join(copy, 'report.json')
  rmSync(report, { force: true })
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const given = [vitest, 'run', '--reporter=json', `--outputFile=${report}`, ...options, ...tests]
  const output = await new Promise((resolve) => {
    // One database is enough to notice, and takes half the time.
    const env = { ...process.env, TEST_DATABASES: 'embedded' }
    const run = { cwd: copy, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }
    execFile(process.execPath, given, run, (_failed, out, error) => resolve(out + error))
  })
  if (!existsSync(report)) throw new Error(`the tests did not run:\n${output}`)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const failed = testResults.flatMap(({ name, status, assertionResults }) => {
    const names = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName)
    return names.length === 0 && status === 'failed' ? [path.relative(copy, name)] : names
  })
  // A run that could not begin reports no file, which is no proof that nothing falls.
  if (failed.length === 0 && testResults.length < tests.length)
    throw new Error(`not every file was run:\n${output}`)
  return failed.map((name) => name.trim())
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
