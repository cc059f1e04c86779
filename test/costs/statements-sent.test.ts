// How many statements an operator's work on many sends: of a bank statement as many as of one line, and of
// each line that is approved and each target of an act on many the few that its own act takes. A number that
// rises is waste, or is raised here with its reason.
import { workOff } from '../../packages/ishtirak/src/bulk/work-off.js'
import { describeOnEach } from '../support/databases.js'
import { operatorOf } from '../support/operator.js'
import { setProfile } from '../support/profile.js'
import { ROLE_KEYS } from '../support/roles.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { createWorld, type World } from '../support/world.js'
import { counted } from './counted.js'

/**
 * After the lock by which files are handled one after the other: lines of earlier statements, the statement,
 * and its only slice of lines; after the same lock what is booked of them; for the answer the statement, its
 * lines and the waiting transfers. A line without a reference asks for nothing more.
 */
const IMPORT = 9
/**
 * Whether it was done before, payment and transfer, the decision with its entry; the transfer, its payment
 * and the booking.
 */
const APPROVED_LINE = 7
/** The user, and the change with its entry. */
const GRANT_OF_MANY = 2

describeOnEach('work on many', ({ database }) => {
  let world: World
  let countOf: ReturnType<typeof counted>['countOf']
  beforeEach(async () => {
    const one = counted(database())
    countOf = one.countOf
    world = await createWorld(one.database, { env: { TRANSFER_FILE }, withoutJobs: true })
  })
  afterEach(() => world.stop())

  const importLines = async (lines: readonly string[]) => {
    const answer = await world.call('POST', '/api/v1/operator/bank-statements?account=ccp&day_order=dmy', {
      headers: { authorization: `Bearer ${ROLE_KEYS.accountant}`, 'content-type': 'text/csv' },
      body: ['Date;Libellé;Débit;Crédit', ...lines].join('\r\n'),
    })
    expect(answer.status).toBe(200)
    return answer.body
  }
  const order = async (userId: string): Promise<string> => {
    const { body } = await world
      .as(userId)
      .post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    return `21/11/2026;VIREMENT ${body.transfer.reference};;${body.amount},00`
  }

  it('reads a bank statement in, and shows it, by as many statements as one of a single line', async () => {
    const ofLines = async (count: number) => {
      const day = `${count % 10}/11/2026`
      const lines = Array.from({ length: count }, (_, n) => `${day};VERSEMENT ${n};;2 000,00`)
      let id = ''
      const read = await countOf(async () => {
        id = (await importLines(lines)).statement_id
      })
      const operator = operatorOf(world, ROLE_KEYS.accountant)
      return { read, shown: await countOf(() => operator.get(`/bank-statements/${id}`)) }
    }
    const one = await ofLines(1)
    expect(one.read).toBe(IMPORT)
    expect(await ofLines(242)).toEqual(one)
  })

  it('approves each line of a bank statement by its own act, and asks for nothing twice', async () => {
    const approve = async (users: readonly string[]) => {
      const { statement_id: id } = await importLines(await Promise.all(users.map(order)))
      const asked = { why: 'relevé', operation_id: `approve-${users.length}` }
      const operator = operatorOf(world, ROLE_KEYS.accountant)
      let results: readonly { outcome: string }[] = []
      const count = await countOf(async () => {
        results = (await operator.post(`/bank-statements/${id}/approve`, asked)).body.results
      })
      expect(results.map(({ outcome }) => outcome)).toEqual(users.map(() => 'approved'))
      return count
    }
    // The first document of a seller stores the seller too.
    await approve(['first'])
    const few = await approve(['a', 'b'])
    const many = await approve(Array.from({ length: 12 }, (_, n) => `of-many-${n}`))
    expect((many - few) / 10).toBe(APPROVED_LINE)
  })

  it('does an act to each of a list by what the act itself takes', async () => {
    const grantTo = async (count: number) => {
      const ids = Array.from({ length: count }, (_, n) => `of-${count}-${n}`)
      for (const userId of ids) await setProfile(world, userId, { name: 'Amina' })
      const asked = { act: 'user.grant', ids, input: { days: 7 }, why: 'outage' }
      const { id } = (await operatorOf(world, ROLE_KEYS.owner).post('/bulk/start', asked)).body
      return countOf(() => workOff(world.service.parts, id, { most: 100 }))
    }
    const [few, many] = [await grantTo(2), await grantTo(12)]
    expect((many - few) / 10).toBe(GRANT_OF_MANY)
  })
})
