// An address at which a cell was not, until it is.
import net from 'node:net'

/** `losesAnswers`: what is asked arrives, and each answer is cut off. Gives what closes it. */
export async function relay(
  port: number,
  to: { readonly url: string } | undefined,
  { losesAnswers = false } = {},
): Promise<() => Promise<void>> {
  const { port: theirs } = new URL(to?.url ?? '')
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    const there = socket.pipe(net.connect(Number(theirs)))
    if (losesAnswers) there.once('data', () => socket.destroy())
    else there.pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}
