import { createOperator } from '../../packages/client/src/index.js'
import { addressOfAct } from '../../packages/ishtirak/src/acts/act-routes.js'
import { actsOf } from '../../packages/ishtirak/src/acts/capability.js'
import { OPERATOR_API } from '../../packages/ishtirak/src/acts/files.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

it('asks for each act where it is, once unless it has a name', async () => {
  for (const act of actsOf<never>(CAPABILITIES)) {
    const asked: string[] = []
    const operator = createOperator({
      url: 'http://127.0.0.1:1',
      apiKey: 'key',
      fetch: async (address, init) => {
        asked.push(`${init?.method} ${new URL(String(address)).pathname}`)
        return new Response('{}', { status: 503 })
      },
    })
    const id = act.on.path.includes(':') ? 'x' : ''
    const address = `${OPERATOR_API}${addressOfAct(act).replace(/:\w+/, 'x')}`
    await operator.act(act.name, id, { why: 'x' }).catch(() => {})
    // Twice, since the second has a name.
    await operator.act(act.name, id, { why: 'x', operation_id: 'op' }).catch(() => {})
    expect(asked).toEqual(Array(3).fill(`POST ${address}`))
    await operator.preview(act.name, id).catch(() => {})
    expect(asked.at(-1)).toBe(act.secret ? `POST ${address}/preview` : `GET ${address}`)
  }
})
