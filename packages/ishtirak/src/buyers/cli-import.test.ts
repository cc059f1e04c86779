import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_KEY } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { commandHost } from '../main/command-host.js'
import { addBuyersCommand } from './cli-import.js'

describeScenario('the command that takes buyers from a file', ({ database }) => {
  let world: World
  let folder: string
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-buyers-'))
    world = await createWorld(database())
    process.env.OPERATOR_KEY = OPERATOR_KEY
    await setProfile(world, 'lina', { name: 'Lina' })
  })
  afterEach(async () => {
    delete process.env.OPERATOR_KEY
    process.exitCode = undefined
    rmSync(folder, { recursive: true })
    await world.stop()
  })

  const run = async (lines: readonly string[], ...options: readonly string[]) => {
    const file = path.join(folder, 'buyers.csv')
    writeFileSync(file, lines.join('\n'))
    const program = new Command('ishtirak')
    addBuyersCommand(program, commandHost)
    const { write } = process.stdout
    let said = ''
    process.stdout.write = (text) => {
      said += String(text)
      return true
    }
    try {
      await program.parseAsync(['buyers', 'import', file, '--url', world.url, ...options], { from: 'user' })
    } finally {
      process.stdout.write = write
    }
    return said
  }
  const kindOf = async () => (await world.as('lina').get('/api/v1/billing/buyer')).body.kind
  const FILE = ['user_id,kind,nif', 'lina,person,', 'nobody,person,12']

  it('names the lines that fail with their fields, and exits with 1', async () => {
    const said = await run(FILE)
    expect(said).toMatch(/3 +nobody +failed +user_id invalid, nif wrong_format/)
    expect(said).toMatch(/2 +lina +changed/)
    expect([await kindOf(), process.exitCode]).toEqual(['person', 1])
    process.exitCode = undefined
    expect(await run(FILE.slice(0, 2))).toMatch(/unchanged +1/)
    expect(process.exitCode).toBeUndefined()
  })
})
