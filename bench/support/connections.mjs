// Requests over a connection that stays open from one batch to the next: what opening one costs the service
// is no call's.
import { Agent, request } from 'node:http'

/**
 * `send` resolves when so many more of `requests` were answered, one by one; refused ones fail it, since
 * refusals are quick.
 */
export function connectTo(url, requests) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let next = 0
  const ask = (number) => sendBy(agent, url, requests[number % requests.length], number)
  return {
    send: async (amount) => {
      const end = next + amount
      while (next < end) await ask(next++)
    },
    close: () => agent.destroy(),
  }
}

/** `id` takes the place of that in the body. Resolves when it was answered; a refusal fails it. */
export function sendBy(agent, url, { method, path, headers, body }, id) {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { agent, method, headers }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode < 300) resolve()
        else reject(new Error(`${method} ${path} at ${url}: ${answer.statusCode}`))
      })
    })
    sent.on('error', reject).end(body?.replace('[<id>]', id))
  })
}
