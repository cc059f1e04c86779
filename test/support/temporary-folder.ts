import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TestRunner } from 'vitest'

/** An empty folder, removed after the test that asks for it, or after the file or `describe` that does. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-'))
  const afterwards = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
