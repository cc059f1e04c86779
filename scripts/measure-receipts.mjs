// How long receipts take and what they leave in memory: `npm run build && node scripts/measure-receipts.mjs
// [count] [facture]`. A burst in one process, the three languages in turn, every paper with another buyer and
// another number.

import { receiptNumber, splitTax } from '../packages/ishtirak/dist/core/receipt.js'
import { renderReceipt } from '../packages/ishtirak/dist/receipts/render-receipt.js'
import { createTypesetter } from '../packages/ishtirak/dist/receipts/typesetter.js'
import { EXAMPLE_SELLER } from '../packages/ishtirak/dist/runtime/seller.js'

const count = Number(process.argv[2] ?? 1000)
const isFacture = process.argv[3] === 'facture'
const locales = ['ar', 'fr', 'en']
// As in a real burst: few prices, one day; numbers, buyers and references all differ.
const PRICES = [2000, 4500]
const tax = { kind: 'vat', ratePercent: 19 }

const companyOf = (index) => ({
  kind: 'company',
  name: `SARL Numidia ${index}`,
  address: `Zone d’activités El Hidhab, lot ${index}, 19000 Sétif`,
  rc: `19/00-${String(index).padStart(7, '0')} B 20`,
  nif: String(index).padStart(15, '0'),
  nis: String(index).padStart(15, '1'),
  ai: String(index).padStart(11, '0'),
  legalForm: 'SARL',
  capital: '1 000 000,00 DA',
  phone: '+213 36 00 00 00',
  email: `compta${index}@numidia.example`,
})

const snapshotOf = (index) => ({
  version: 1,
  ...(isFacture && { paper: 'facture', poNumber: `BC-${index}` }),
  seller: EXAMPLE_SELLER.identity,
  buyer: {
    userId: `usr_${index}`,
    name: `Yasmine Benali ${index}`,
    email: `yasmine${index}@exemple.example`,
    ...(isFacture && { details: companyOf(index) }),
  },
  planName: 'Pro',
  issuedAt: 0,
  issuedOn: '2026-11-21',
  paidOn: '2026-11-21',
  periodFrom: '2026-11-21',
  periodTo: '2026-12-21',
  amount: PRICES[index % PRICES.length],
  tax,
  split: splitTax(PRICES[index % PRICES.length], tax),
  stampDutyCentimes: 0,
  paymentMethod: 'edahabia',
  paymentId: `pay_01k9abcdefghjkm${String(index).padStart(11, '0')}`,
  checkoutId: `01k9zzcdefghjkm${String(index).padStart(11, '0')}`,
  live: true,
})

const residentMb = () => Math.round(process.memoryUsage().rss / 2 ** 20)
const typesetter = createTypesetter()
const render = (index) => {
  const startedAt = performance.now()
  const locale = locales[index % locales.length]
  const pdf = renderReceipt(
    typesetter,
    { snapshot: snapshotOf(index), number: receiptNumber('2026', index + 1) },
    locale,
  )
  return { ms: performance.now() - startedAt, bytes: pdf.length }
}

const idleMb = residentMb()
const first = render(0)
// Thirty pages fill the caches of all three languages: the burst is measured from where a running service
// stands.
for (let index = 0; index < 30; index++) render(index)
const beforeMb = residentMb()
const cpuBefore = process.cpuUsage()
const quarters = []
const runs = []
for (let index = 0; index < count; index++) {
  runs.push(render(index))
  // As in the service, where every receipt is a request: native memory is freed between turns of the event
  // loop.
  await new Promise(setImmediate)
  if ((index + 1) % Math.ceil(count / 4) === 0) quarters.push(residentMb())
}
const cpu = process.cpuUsage(cpuBefore)
const times = runs.map(({ ms }) => ms).sort((one, other) => one - other)
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1)

console.log(
  `first ${first.ms.toFixed(0)} ms; then ${count}: ` +
    `median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
)
console.log(
  `resident: idle ${idleMb} MB, before the burst ${beforeMb} MB, at its quarters ${quarters.join(', ')} MB`,
)
// On a busy machine the clock measures the neighbours; processor time does not.
console.log(
  `processor time, all threads: ${((cpu.user + cpu.system) / 1000 / count).toFixed(1)} ms a receipt`,
)
console.log(`a receipt is ${Math.round(runs.reduce((sum, { bytes }) => sum + bytes, 0) / count / 1024)} KiB`)
