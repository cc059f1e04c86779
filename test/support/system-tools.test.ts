// What `npm test` and `npm run test:all` promise: the first needs Node alone, the second names what is
// missing.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { requireTool } from './system-tools.js'

afterEach(() => vi.unstubAllEnvs())

it('a program that is missing is a failure that names the package to install', () => {
  vi.stubEnv('PATH', '/nowhere')
  expect(() => requireTool('poppler-utils')).toThrow('apt-get install poppler-utils')
})

it('tests that need a program of the system have names that npm test leaves out', () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const needsSystem = /from '[./\w-]*\/(describe-with|browser|pdf|pgbouncer|process)\.js'|\bcountFlushes\b/
  const files = ['test', 'packages'].flatMap((folder) =>
    (readdirSync(path.join(root, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => path.join(folder, name)),
  )
  const quick = files.filter((name) => !/\.(system|nightly)\.test\.ts$/.test(name))
  const wrong = quick.filter((name) => needsSystem.test(readFileSync(path.join(root, name), 'utf8')))
  expect(wrong).toEqual([])
})
