// `npx vitest run test/replay -u` writes the pages anew after a change that means to print something else.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { hasConsoleBlocks, isAsExpected, replay, settingOf, type Typed } from './page.js'
import { openTerminal, type Terminal } from './terminal.js'

const root = path.resolve(import.meta.dirname, '../..')
const pages = [
  'README.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
].filter((name) => hasConsoleBlocks(readFileSync(path.join(root, name), 'utf8')))

it('the README and the walkthrough have console blocks', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/walkthrough-a-month-in-a-minute.md']))
})

it.each(pages)('%s prints what it shows', async (name) => {
  requireTool('curl')
  buildOnce()
  const file = path.join(root, name)
  const page = readFileSync(file, 'utf8')
  const { startAt, env } = settingOf(page)
  const terminal = await openTerminal(startAt, env)
  try {
    const fresh = await replay(page, typist(terminal))
    await expect(fresh).toMatchFileSnapshot(file)
  } finally {
    await terminal.close()
  }
})

/** A `sleep` is for people: what comes after it is asked for until it is there, and the clock stands. */
function typist(terminal: Terminal): (typed: Typed) => Promise<string> {
  let deadline = 0
  return async ({ command, expected }) => {
    const [, quick = command] = /^(.*); sleep \d+$/.exec(command) ?? []
    if (deadline === 0) await terminal.passSecond()
    let output = await terminal.type(quick)
    while (!isAsExpected(output, expected) && performance.now() < deadline)
      output = await terminal.type(quick)
    deadline = quick === command ? 0 : performance.now() + LONGEST_WAIT_MS
    return output
  }
}

const LONGEST_WAIT_MS = 60_000
