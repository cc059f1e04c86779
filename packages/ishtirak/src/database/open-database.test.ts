import { openDatabase } from './open-database.js'

it('another URL is refused, without repeating it', async () => {
  for (const url of ['mysql://root@localhost/x', './data', ''] as const) {
    const error = await openDatabase({ url }).catch((thrown: unknown) => thrown)
    expect.soft(String(error), String(url)).toContain('neither postgres://… nor memory:')
    expect.soft(String(error), String(url)).not.toContain('root')
  }
})
