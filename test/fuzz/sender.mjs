// Sends requests from a thread of its own, so that the event loop of the service is not held up by its
// caller.
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', async ({ url, init }) => {
  const answer = await fetch(url, { redirect: 'manual', ...init })
  await answer.arrayBuffer()
  parentPort?.postMessage(answer.status)
})
