// npm run release -- --dry-run: checks the checkout and writes the files of a release into release/. The
// workflow publish.yml does the same for a tag and publishes them.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { versionProblems, writeRelease } from './release-files.mjs'

/** npm runs scripts in the root of the repository. */
const root = process.cwd()
const run = (program, ...args) => execFileSync(program, args, { cwd: root, stdio: 'inherit' })
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const fail = (...lines) => {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(1)
}

if (!process.argv.includes('--dry-run'))
  fail(
    'This command publishes nothing: the workflow publish.yml does, for a tag (CONTRIBUTING.md).',
    'To see what it would publish: npm run release -- --dry-run',
  )

const changed = git('status', '--porcelain')
if (changed !== '') fail('Not all is committed:', changed)
const problems = versionProblems(root)
if (problems.length > 0) fail(...problems)
run('npm', 'run', '--silent', 'lint')
run('npm', 'run', '--silent', 'typecheck')
run('node', 'scripts/build.mjs')
const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'))
for (const name of writeRelease(root, path.join(root, 'release'), seconds))
  process.stdout.write(`release/${name}\n`)
