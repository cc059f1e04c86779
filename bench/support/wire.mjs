// A relay between the service and PostgreSQL that counts the server's messages: 'C' ends a query, 'Z' a round
// trip (PostgreSQL, "Message Formats"). A message is its type, four bytes of its length, and its content.
import { connect, createServer } from 'node:net'

/** Resolves with the URL to use in place of `databaseUrl`, and the counts so far. */
export async function relayTo(databaseUrl) {
  const target = new URL(databaseUrl)
  const passed = { statements: 0, roundTrips: 0, bytes: 0 }
  const sockets = new Set()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('data', (bytes) => {
        passed.bytes += bytes.length
        to.write(bytes)
      })
    }
    upstream.on('data', messages(passed))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String(server.address().port)
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { url: url.href, passed, close }
}

function messages(passed) {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5) {
      const end = 1 + rest.readUInt32BE(1)
      if (rest.length < end) break
      if (rest[0] === 0x43) passed.statements += 1
      if (rest[0] === 0x5a) passed.roundTrips += 1
      rest = rest.subarray(end)
    }
  }
}
