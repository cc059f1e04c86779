import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { listen } from '../../../../test/support/listen.js'
import { createLog } from '../runtime/log.js'
import { readConfig } from './config.js'
import { explainFailure } from './doctor.js'
import { serve } from './serve.js'

it.each(['PORT', 'SANDBOX_PORT', 'METRICS_PORT'])('%s is taken: nothing is made', async (name) => {
  await using other = await listen(createServer())
  const { port } = new URL(other.url)
  const folder = path.join(tmpdir(), 'ishtirak-of-no-port')
  const variables = { PORT: '0', SANDBOX_PORT: '0', METRICS_PORT: '0', DATA_DIR: folder, [name]: port }
  const refused = await serve(readConfig(variables), createLog({ level: 'silent' })).catch(Object)
  const others = name === 'METRICS_PORT' ? 'METRICS_PORT to another' : 'PORT and SANDBOX_PORT to others'
  expect(explainFailure(refused, variables)).toBe(
    `cannot listen on 127.0.0.1:${port} (EADDRINUSE): it is in use. ` +
      `End the program that has it, or set ${others}`,
  )
  expect(existsSync(folder)).toBe(false)
})

it('two ports of its own that are one are refused as a taken port', async () => {
  const other = await listen(createServer())
  const { port } = new URL(other.url)
  await other[Symbol.asyncDispose]()
  const variables = { PORT: port, SANDBOX_PORT: '0', METRICS_PORT: port, DATA_DIR: '/proc/nowhere' }
  const refused = await serve(readConfig(variables), createLog({ level: 'silent' })).catch(Object)
  expect(explainFailure(refused, variables)).toContain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE)`)
})
