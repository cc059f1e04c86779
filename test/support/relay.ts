// An address at which a cell was not, until it is.
import net from 'node:net'

/** `answers`: what becomes of those to what is asked, which arrives. Gives what closes it. */
export async function relay(
  port: number,
  to: { readonly url: string } | undefined,
  answers: 'pass' | 'are cut off' | { readonly lateMs: number } = 'pass',
): Promise<() => Promise<void>> {
  const { port: theirs } = new URL(to?.url ?? '')
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    const there = socket.pipe(net.connect(Number(theirs)))
    if (answers === 'pass') there.pipe(socket)
    else if (answers === 'are cut off') there.once('data', () => socket.destroy())
    else setTimeout(() => there.pipe(socket), answers.lateMs)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}
