// npm run bench -- bank-files: what bank statements of 5 MiB cost a service with the embedded database. The
// table has the answer to each file, the longest time without an answer of /healthz, and the memory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { residentMb } from './support/children.mjs'
import { printTable } from './support/compare.mjs'
import { startService } from './support/service.mjs'

const KEY = 'bench-operator-key-0123456789'
const HEAD = 'Date;Libellé;Débit;Crédit\n'
const rows = (count, row) => HEAD + Array.from({ length: count }, (_, n) => row(n)).join('')
const FILES = {
  'a file of 4,000 lines': rows(4_000, (n) => `${(n % 28) + 1}/11/2026;VIREMENT CLIENT ${n};;${n + 1},00\n`),
  'the same file again': rows(4_000, (n) => `${(n % 28) + 1}/11/2026;VIREMENT CLIENT ${n};;${n + 1},00\n`),
  'one of 80,000 lines': rows(80_000, (n) => `${(n % 28) + 1}/11/2026;VIREMENT CLIENT ${n};;${n + 1},00\n`),
  'one row of 5 MiB': `${HEAD}${'1;'.repeat(2_600_000)}`,
  'rows of 200 cells': `${HEAD}${`${'1;'.repeat(199)}\n`.repeat(13_000)}`,
  'rows of quotes': `${HEAD}${`${'"'.repeat(16_000)}\n`.repeat(320)}`,
  'rows with an open quote': rows(190_000, () => '28/11/2026;"a;;1,00\n'),
  'empty rows': `${HEAD}${'\n'.repeat(5_200_000)}`,
  blanks: ' '.repeat(5_200_000),
}

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'text/csv' }

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-bank-files-'))
const transfers = path.join(folder, 'transfers.json')
const account = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }
writeFileSync(transfers, JSON.stringify({ accounts: [account] }))
const service = await startService({
  dataDir: path.join(folder, 'data'),
  env: { OPERATOR_KEYS: `bench:owner:${KEY}`, TRANSFER_FILE: transfers },
})
try {
  const table = []
  for (const [name, file] of Object.entries(FILES)) table.push([name, ...(await measure(file))])
  printTable(['', 'answer', 's', 'longest silence, ms', 'memory, MB more'], table)
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(file) {
  await wait(3_000)
  const before = residentMb(service.pid)
  let [silence, peak, isDone] = [0, before, false]
  const watch = (async () => {
    while (!isDone) {
      const at = performance.now()
      await fetch(`${service.url}/healthz`)
      silence = Math.max(silence, performance.now() - at)
      peak = Math.max(peak, residentMb(service.pid))
      await wait(2)
    }
  })()
  const begunAt = performance.now()
  const answer = await ask('?account=ccp', { method: 'POST', body: Buffer.from(file) })
  const body = await answer.json()
  const seconds = (performance.now() - begunAt) / 1_000
  isDone = true
  await watch
  // After a late answer the service still works on the file, which must not count for the next one.
  if (answer.status === 503) await wait(20_000)
  const said = answer.ok ? `${body.lines} lines` : `${answer.status} ${body.reason ?? body.code}`
  return [said, seconds.toFixed(1), Math.round(silence), Math.round(peak - before)]
}

function ask(suffix, init) {
  return fetch(`${service.url}/api/v1/operator/bank-statements${suffix}`, { headers, ...init })
}
