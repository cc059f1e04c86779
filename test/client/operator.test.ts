// The client's addresses of acts are those of the service.
import { expect, it } from 'vitest'
import { createOperator } from '../../packages/client/src/index.js'
import { addressOfAct } from '../../packages/ishtirak/src/acts/act-routes.js'
import { actsOf } from '../../packages/ishtirak/src/acts/capability.js'
import { OPERATOR_API } from '../../packages/ishtirak/src/acts/descriptions.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

it.each(actsOf<never>(CAPABILITIES).map((act) => [act.name, act] as const))(
  'asks for %s where it is, once unless it has a name',
  async (name, act) => {
    const asked: string[] = []
    const operator = createOperator({
      url: 'http://127.0.0.1:1',
      apiKey: 'key',
      fetch: async (address, init) => {
        asked.push(`${init?.method} ${new URL(String(address)).pathname}`)
        return new Response('{}', { status: 503 })
      },
    })
    const hasId = act.on.path.includes(':')
    const address = `${OPERATOR_API}${addressOfAct(act).replace(/:\w+/, 'x')}`
    const call = (more: object) => operator.act(name, hasId ? 'x' : '', { why: 'x', ...more }).catch(() => {})
    await call({})
    expect(asked).toEqual([`POST ${address}`])
    await call({ operation_id: 'op' })
    expect(asked).toEqual(Array(3).fill(`POST ${address}`))
    await operator.preview(name, hasId ? 'x' : '').catch(() => {})
    expect(asked.at(-1)).toBe(act.asksByPost ? `POST ${address}/preview` : `GET ${address}`)
  },
)
