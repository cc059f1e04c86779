// The sealed books of years are verified while somebody waits for the answer.
import { sealBooks } from '../../packages/ishtirak/src/seals/seal-books.js'
import { freshDatabase } from '../support/databases.js'
import { operatorOf } from '../support/operator.js'
import { createWorld } from '../support/world.js'

const ENTRIES = 1_000_000
/** The job seals some 3,500 entries a second. */
const SEALING_MS = 20 * 60_000

const acted = (first: number, last: number) => `
  insert into audit (user_id, id, acted_at, actor, act, reason, before, after)
  select 'user-' || n % 1000, 'act_' || n, timestamptz '2026-11-01' + n * interval '1 second', 'amina',
         'grant', 'an outage', '{}', '{"days": 3}'
    from generate_series(${first}, ${last}) n`

it(
  'a million entries are verified within 30 s, and the answer does not run into the time limit',
  async () => {
    const database = await freshDatabase('postgres')
    onTestFinished(() => database.close())
    for (let first = 1; first <= ENTRIES; first += 20_000) await database.script(acted(first, first + 19_999))
    await using world = await createWorld(database, { isNew: true })
    expect(await sealBooks(world.service.parts)).toBe(ENTRIES)
    const before = performance.now()
    const { status, body } = await operatorOf(world).post('/books/verification')
    expect([status, body]).toMatchObject([200, { position: ENTRIES, found: null }])
    expect(performance.now() - before).toBeLessThan(30_000)
  },
  SEALING_MS,
)
