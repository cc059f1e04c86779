// Requests over a connection that stays open from one batch to the next: what opening one costs the service
// is no call's.
import { Agent, request } from 'node:http'

/**
 * `send` resolves when so many more of `requests` were answered, one by one; refused ones fail it, since
 * refusals are quick.
 */
export function connectTo(url, requests) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let next = 0
  const ask = (number) =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = requests[number % requests.length]
      const sent = request({ hostname, port, agent, method, path, headers }, (answer) => {
        answer.resume().on('end', () => {
          if (answer.statusCode < 300) resolve()
          else reject(new Error(`${method} ${path}: ${answer.statusCode}`))
        })
      })
      sent.on('error', reject).end(body?.replace('[<id>]', number))
    })
  return {
    send: async (amount) => {
      const end = next + amount
      while (next < end) await ask(next++)
    },
    close: () => agent.destroy(),
  }
}
