// npm run mutate [-- part of a name]: breaks each rule of test/mutations/mutations.mjs in a copy of the
// sources, runs the test file that should notice, and prints the test that falls. Fails when a mutation
// survives or no longer applies.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { mutations } from '../test/mutations/mutations.mjs'

const root = path.dirname(import.meta.dirname)
const [part = ''] = new Command('npm run mutate --')
  .description(
    'Breaks each rule of test/mutations/mutations.mjs in a copy of the sources, and checks that a test falls',
  )
  .argument('[part]', 'only mutations with these words in their name')
  .parse().args
const wanted = mutations.filter(({ rule }) => rule.includes(part))
if (wanted.length === 0) throw new Error(`no rule has “${part}” in its name`)
const copy = mkdtempSync(path.join(tmpdir(), 'ishtirak-mutate-'))

try {
  copySources()
  const baseline = failedTests([...new Set(wanted.flatMap(({ tests }) => tests))])
  if (baseline.length > 0) throw new Error(`without a mutation these fall already:\n${baseline.join('\n')}`)
  const survived = wanted.filter((mutation) => !isCaught(mutation))
  say(`\n${wanted.length - survived.length} of ${wanted.length} mutations are caught`)
  process.exitCode = survived.length === 0 ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/** Everything that git knows, with the installed packages linked. */
function copySources() {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of files.split('\n').filter((name) => existsSync(path.join(root, name)) && name !== '')) {
    cpSync(path.join(root, file), path.join(copy, file))
  }
  const folders = ['.', ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)]
  for (const folder of folders) {
    const installed = path.join(root, folder, 'node_modules')
    if (existsSync(installed)) symlinkSync(installed, path.join(copy, folder, 'node_modules'))
  }
}

function isCaught({ rule, file, from, to, tests }) {
  const target = path.join(copy, file)
  const source = readFileSync(target, 'utf8')
  const places = source.split(from).length - 1
  if (places !== 1) {
    say(`✗ ${rule}: what it replaces stands ${places} times in ${file}`)
    return false
  }
  writeFileSync(
    target,
    source.replace(from, () => to),
  )
  const failed = failedTests(tests)
  writeFileSync(target, source)
  say(
    failed.length > 0
      ? `✓ ${rule}\n    ${failed.length} fall, first: ${failed[0]}`
      : `✗ ${rule}: no test falls`,
  )
  return failed.length > 0
}

/** The full names of the tests that fail in these files, and the files that cannot be run. */
function failedTests(tests) {
  const report = path.join(copy, 'report.json')
  rmSync(report, { force: true })
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const run = spawnSync(
    process.execPath,
    [vitest, 'run', '--reporter=json', `--outputFile=${report}`, ...tests],
    {
      cwd: copy,
      encoding: 'utf8',
    },
  )
  if (!existsSync(report)) throw new Error(`the tests did not run:\n${run.stdout}${run.stderr}`)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  // A run that could not begin reports no file, which is no proof that nothing falls.
  if (testResults.length < tests.length)
    throw new Error(`not every file was run:\n${run.stdout}${run.stderr}`)
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName }) => fullName.trim())
    return failed.length === 0 && status === 'failed' ? [path.relative(copy, name)] : failed
  })
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
