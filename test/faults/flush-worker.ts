// Runs under strace. Phases are written to stdout, which the trace shows among the flushes.
import { writeSync } from 'node:fs'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'

const insert = statement('faults.insert', 'insert into kept (value) values ($1)')
const read = statement('faults.read', 'select count(*) as count from kept where value = $1')

export async function run([folder = '', count = '0']: readonly string[]): Promise<boolean> {
  const values = Array.from({ length: Number(count) }, (_, index) => index)
  const database = await openFolder(folder)
  await database.script('create table kept (value integer)')
  // The first statement of a kind loads plans and caches.
  await database.query(insert, [-1])
  await database.query(read, [-1])
  tell('sequential commits')
  for (const value of values) await database.query(insert, [value])
  tell('reads')
  for (const value of values) await database.query(read, [value])
  tell('commits together')
  await Promise.all(values.map((value) => database.query(insert, [value])))
  tell('end')
  await database.close()
  return true
}

/** Synchronous, because the write must appear in order among the flushes. */
function tell(phase: string): void {
  writeSync(1, `phase ${phase}\n`)
}
