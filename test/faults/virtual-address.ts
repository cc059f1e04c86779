// As a virtual IP: new connections go to the current port, open ones stay with the old server.
import { connect, createServer, type Socket } from 'node:net'

export interface VirtualAddress {
  readonly port: number
  pointTo(port: number): void
  close(): Promise<void>
}

export async function openAddress(target: number): Promise<VirtualAddress> {
  let current = target
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(current, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      // When one side ends or fails, the other is cut, so that no caller waits for a server that is gone.
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the system gave no port')
  return {
    port: address.port,
    pointTo: (port) => {
      current = port
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
