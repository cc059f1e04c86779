import { emptyDatabase } from '../../../../test/support/databases.js'
import { createWorld } from '../../../../test/support/world.js'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const world = await createWorld(await emptyDatabase('pglite'), {
  env: { PUBLIC_URL: 'http://billing.localhost/billing' },
})
afterAll(() => world.stop())

it('the root leads a browser to the portal and the documents, in its language', async () => {
  const headers = { accept: BROWSER, 'accept-language': 'fr' }
  const answer = await world.call('GET', '/', { headers })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(answer.headers.get('vary')).toMatch(/accept/i)
  for (const part of ['<html lang="fr"', 'href="/billing/portal"', 'href="/billing/docs"'])
    expect(answer.text).toContain(part)
  expect(answer.text).not.toContain('Ishtirak')
  const other = await world.call('GET', '/?lang=ar', { headers })
  expect(other.text).toContain('<html lang="ar"')
})

it('the root is a problem to a program', async () => {
  const answer = await world.call('GET', '/', { headers: { accept: '*/*' } })
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
})
