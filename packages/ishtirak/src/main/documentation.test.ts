// The OpenAPI document itself: test/scenarios/documents.system.test.ts.
import { captureLog, PUBLIC_URL } from '../../../../test/support/example-app.js'
import { createApp } from '../http/app.js'
import { SEED_CATALOGUE } from '../runtime/plans-file.js'
import { installDocumentation } from './documentation.js'

it('is made without a compiled schema: to compile all of them took 3 s of the process', async () => {
  const app = createApp({ log: captureLog().log, publicUrl: PUBLIC_URL })
  installDocumentation(app, { publicUrl: PUBLIC_URL, plans: SEED_CATALOGUE, capabilities: [] })
  await app.register(async (part) => {
    // No compiler takes these patterns.
    const broken = { type: 'object', properties: { one: { type: 'string', pattern: '(' } } }
    const schema = { tags: ['users'], operationId: 'one', body: broken, response: { 200: broken } }
    part.post('/api/v1/billing/one', { schema }, () => ({}))
  })
  const answer = await app.inject('/openapi.json')
  expect(answer.json()).toMatchObject({ paths: { '/api/v1/billing/one': { post: { operationId: 'one' } } } })
  await app.close()
})
