// The sign-in by an issuer that answers after seconds of real time.

import { describeScenario } from '../../../../test/support/databases.js'
import { goToIssuer, startIssuer } from '../../../../test/support/issuer.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld } from '../../../../test/support/world.js'
import { movableClock } from '../runtime/clock.js'

const countSessions = sql('select count(*)::int as n from operator_sessions')

describeScenario('the sign-in by a slow issuer', ({ database }) => {
  it('opens no session that no browser gets: it gives up slow answers, one after the other', async () => {
    await using issuer = await startIssuer()
    const clock = movableClock(Date.now())
    await using world = await createWorld(database(), { env: { ...issuer.env }, clock })
    await issuer.serve(world.config.publicUrl)
    const way = await goToIssuer(world)
    issuer.slowMs = 3_000
    const headers = { cookie: way.cookie, 'accept-language': 'en' }
    const answer = await world.call('GET', way.path, { headers })
    expect([answer.status, answer.text.includes('does not answer at the moment')]).toEqual([503, true])
    expect(await database().query(countSessions, [])).toEqual([{ n: 0 }])
  })
})
