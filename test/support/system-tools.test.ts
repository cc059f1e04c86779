// What `npm test` and `npm run test:all` promise: the first needs Node alone, the second names what is missing.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { requireTool } from './system-tools.js'

afterEach(() => vi.unstubAllEnvs())

it('a program that is missing is a failure that names the package to install', () => {
  vi.stubEnv('PATH', '/nowhere')
  expect(() => requireTool('poppler-utils')).toThrow('apt-get install poppler-utils')
})

it('tests that need a program of the system are in files of their own, which npm test leaves out', () => {
  const folder = path.resolve(import.meta.dirname, '..')
  const needsSystem = /from '[./\w-]*(describe-with|browser|pdf|pgbouncer)\.js'|\bcountFlushes\b/
  const named = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.test.ts'),
  )
  const wrong = named.filter(
    (name) =>
      needsSystem.test(readFileSync(path.join(folder, name), 'utf8')) !== name.endsWith('.system.test.ts'),
  )
  expect(wrong).toEqual([])
  const { scripts } = JSON.parse(readFileSync(path.join(folder, '../package.json'), 'utf8'))
  expect(scripts.test).toContain('--exclude "**/*.system.test.ts"')
})
