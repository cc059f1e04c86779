import type { Database } from '../../packages/ishtirak/src/database/database.js'

export type DatabaseKind = Database['kind']

export const DATABASE_KINDS = kindsNamed(process.env.TEST_DATABASES)

function kindsNamed(given: string | undefined): readonly DatabaseKind[] {
  if (given === undefined || given === 'embedded') return ['pglite']
  if (given === 'server') return ['postgres']
  if (given === 'both') return ['pglite', 'postgres']
  throw new Error(`TEST_DATABASES is embedded, server or both, not ${given}`)
}

const MOUNTED_FORMS = ['fastify', 'fetch', 'listener'] as const
export type MountedForm = (typeof MOUNTED_FORMS)[number]

/** The schema of embedded databases whose services are mounted. */
export const MOUNTED_SCHEMA = 'billing'

/** Null: the service listens itself. Where scenarios run on both kinds, the embedded run is mounted. */
export function mountedForm(kind: DatabaseKind, name: string): MountedForm | null {
  const { TEST_MOUNTED: named, TEST_DATABASES: databases } = process.env
  if (kind === 'postgres' || (named === undefined && databases !== 'both')) return null
  const form = MOUNTED_FORMS.find((one) => one === named) ?? MOUNTED_FORMS[name.length % MOUNTED_FORMS.length]
  return form ?? null
}

export const mountedForms = new WeakMap<Database, MountedForm>()
