import type { Child } from './child-process.js'
import { runBuilt } from './compiled-sources.js'

const HOLDER = `
  import { lockFolder } from './main/internal.js'
  try {
    await lockFolder(process.argv[2])
    console.log('locked')
    setInterval(() => {}, 1_000_000)
  } catch (error) {
    console.log(String(error))
  }`

export async function startHolder(folder: string): Promise<Child> {
  const child = runBuilt(HOLDER, folder)
  onTestFinished(async () => void (await child.kill()))
  await expect.poll(() => child.lines.length).toBe(1)
  return child
}
