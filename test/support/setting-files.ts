// Files that variables of the environment name.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { configFile } from './config-files.js'

const fileOf = (name: string) => path.resolve(import.meta.dirname, '../..', name)

/** One term of a year, and a dearer plan. */
export const PLANS_FILE = fileOf('test/fixtures/terms.json')
const plans: readonly { readonly id: string }[] = JSON.parse(readFileSync(PLANS_FILE, 'utf8'))
/** The same; Pro has a trial of ten days. */
export const TRIAL_PLANS = configFile(
  plans.map((plan) => (plan.id === 'pro' ? { ...plan, trial_days: 10 } : plan)),
)
/** These plans, and one that is dearer than `team`, so that a plan can be changed twice. */
export const DEARER_PLANS = configFile([
  ...plans,
  ...plans.flatMap((plan) => (plan.id === 'team' ? { ...plan, id: 'max', name: 'Max', price: 20_000 } : [])),
])
export const TRANSFER_FILE = fileOf('docs/transfer.example.json')
export const SELLER_FILE = fileOf('docs/seller.example.json')
