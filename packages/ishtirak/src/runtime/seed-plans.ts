// The plans and limits without a PLANS_FILE: a free plan, and one for 2000 DZD a month.
import type { LimitDefinition } from '../core/limit.js'
import type { Plan } from '../core/plan.js'

const plain = { window: null, per: null, unit: null, perWords: null }

export const SEED_LIMITS: readonly LimitDefinition[] = [
  { ...plain, name: 'projects', words: { ar: 'المشاريع', fr: 'Projets', en: 'Projects' } },
  {
    ...plain,
    name: 'domains_per_project',
    per: 'project',
    words: { ar: 'النطاقات في كل مشروع', fr: 'Domaines par projet', en: 'Domains per project' },
  },
  {
    ...plain,
    name: 'deploys_per_day',
    window: 'day',
    words: { ar: 'عمليات النشر في اليوم', fr: 'Déploiements par jour', en: 'Deploys per day' },
  },
  {
    ...plain,
    name: 'storage_mb',
    unit: 'megabytes',
    words: { ar: 'التخزين', fr: 'Stockage', en: 'Storage' },
  },
]

export const SEED_PLANS: readonly Plan[] = [
  {
    id: 'free',
    name: 'Free',
    price: 0,
    currency: 'DZD',
    limits: { projects: 3, domains_per_project: 1, deploys_per_day: 10, storage_mb: 500 },
  },
  {
    id: 'pro',
    name: 'Pro',
    price: 2000,
    currency: 'DZD',
    limits: { projects: 10, domains_per_project: 5, deploys_per_day: 50, storage_mb: 5120 },
  },
]
