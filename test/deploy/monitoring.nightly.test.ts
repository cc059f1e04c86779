// Each alert fires when it should and is explained in docs/alerts.md.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { emptyDatabase } from '../support/databases.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { sql } from '../support/sql.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { waitFor } from '../support/wait-for.js'
import { createWorld, type World } from '../support/world.js'
import { read, root } from './files.js'
import { TRIED_ALERTS } from './tried-alerts.js'

const RULES = 'deploy/prometheus-rules.yml'

interface Panel {
  readonly id: number
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly { readonly refId: string; readonly expr: string }[]
}
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(read('deploy/grafana-dashboard.json'))

const rules = read(RULES)
const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name)
/** A folded expression stands on the lines after its key. */
const ruleQueries = [...rules.matchAll(/expr: (?:>-\n)?([\s\S]*?)\n +(?:for|labels):/g)].map(
  ([, query = '']) => query,
)
const panelQueries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

const ITS_OWN = ['up']
const WORDS = /^(sum|min|max|time|by|and|or|le|rate|increase|absent|changes|histogram_quantile|topk|e\d+)$/

function metricsOf(query: string): readonly string[] {
  const bare = query.replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ')
  return (bare.match(/[a-z_][a-z0-9_]*/gi) ?? []).filter((word) => !WORDS.test(word))
}

/** `route=~"/a|/b"` as [route, /a], [route, /b]; patterns are left out. */
function valuesOf(query: string, label: string): readonly string[] {
  return [...query.matchAll(new RegExp(`\\b${label}=~?"([^"]*)"`, 'g'))].flatMap(([, values = '']) =>
    values.split('|').filter((value) => /^[\w/]+$/.test(value)),
  )
}

let world: World
let published: string
beforeAll(async () => {
  requireTool('prometheus')
  world = await createWorld(await emptyDatabase('postgres'))
  await world.call('GET', '/healthz')
  published = (await world.service.metrics.render()).text
})
afterAll(() => world.stop())

const promtool = (...parameters: string[]) =>
  execFileSync('promtool', parameters, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const EVENTS = {
  EVENTS_ALLOW_PRIVATE: 'true',
  EVENTS_URL: 'http://127.0.0.1:9/events',
  EVENTS_SECRETS: `whsec_${'A'.repeat(32)}`,
}
const sendProof = sql('update transfers set proof_at = $2::timestamptz where payment_id = $1')
const figuresOf = async (one: World) => (await one.service.metrics.render()).text.split('\n')

interface Tried {
  readonly interval: '1m'
  readonly input_series: readonly { readonly series: string; readonly values: string }[]
  readonly alert_rule_test: readonly {
    readonly alertname: string
    readonly eval_time: string
    readonly exp_alerts: readonly object[]
  }[]
}

/** Gives what `promtool` says of the alerts that are not as expected; nothing if all are. */
function misfiring(tests: readonly Tried[]): string {
  const folder = temporaryFolder()
  const file = path.join(folder, 'test.json')
  const rule_files = [path.join(root, RULES)]
  writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: '1m', tests }))
  try {
    promtool('test', 'rules', file)
    return ''
  } catch (error) {
    return String(Reflect.get(Object(error), 'stdout')) + String(Reflect.get(Object(error), 'stderr'))
  }
}

const ANSWERS = 'http_request_duration_seconds_count'
/** Prometheus adds the labels of the job and the instance. */
const seriesOf = (name: string, labels: string, instance = '') =>
  `${name}{${['job="ishtirak"', instance, labels].filter((one) => one !== '').join()}}`

const tried = TRIED_ALERTS.trim()
  .split(/\n(?=Ishtirak)/)
  .map((block): Tried => {
    const [head = '', summary, ...figures] = block.split('\n')
    const [alertname = '', silent = '', fires = '', ...labels] = head.split(' ')
    const exp_labels = Object.fromEntries(labels.map((label) => label.split('=')))
    const fired = [{ exp_labels, exp_annotations: { summary } }]
    return {
      interval: '1m',
      input_series: figures.map((line) => {
        const [, name = '', own = '', values = ''] = /^(\w+)\{(.*)\} (.*)$/.exec(line) ?? []
        return { series: seriesOf(name === 'answers' ? ANSWERS : name, own), values }
      }),
      alert_rule_test: [
        { alertname, eval_time: silent, exp_alerts: [] },
        { alertname, eval_time: fires, exp_alerts: fired },
      ],
    }
  })

/** Which alerts `promtool` raises where these figures, as they were published, stand for half an hour. */
function alertsFor(figures: readonly string[], { clock }: World): readonly string[] {
  const isOurs = (line: string) => /^ishtirak_[a-z_]+(\{[^}]*\})? /.test(line)
  const input_series = figures.filter(isOurs).map((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    const isTime = name.endsWith('_timestamp_seconds')
    // The clock of `promtool` begins at 0; an instant stays as far behind it as it is now.
    const shown = isTime ? `${Number(value) - clock.now() / 1_000}+60` : `${Number(value)}`
    return { series: seriesOf(name, labels, 'instance="a"'), values: `${shown}x40` }
  })
  // `promtool` names the others, which must be silent, if they fire.
  const expected = alerts.filter((name) => name !== 'IshtirakDown')
  const silent = expected.map((alertname) => ({ eval_time: '30m', alertname, exp_alerts: [] }))
  const said = misfiring([{ interval: '1m', input_series, alert_rule_test: silent }])
  const raised = expected.filter((name) => said.includes(`alertname="${name}"`))
  if (said !== '' && raised.length === 0) throw new Error(said)
  return raised
}

describe('the alerts', () => {
  it('are what Prometheus reads, and each is tried: silent before its time, firing after it', () => {
    expect(alerts.length).toBe(ruleQueries.length)
    expect(promtool('check', 'rules', RULES)).toContain(`SUCCESS: ${alerts.length} rules found`)
    expect(tried.map(({ alert_rule_test: [first] }) => first?.alertname)).toEqual(alerts)
    expect(misfiring(tried)).toBe('')
  })

  it('say of real figures what is wrong, and nothing where all is well', async () => {
    await using issuing = await createWorld(await emptyDatabase('postgres'), { env: { TRANSFER_FILE } })
    await waitFor(async () => (await figuresOf(issuing)).includes('ishtirak_provider_up 1'))
    expect(alertsFor(await figuresOf(issuing), issuing)).toEqual([])

    await using ailing = await createWorld(await emptyDatabase('postgres'), {
      env: { TRANSFER_FILE, ...EVENTS, CHARGILY_API_URL: 'http://127.0.0.1:9' },
    })
    const order = { plan: 'pro', method: 'transfer' }
    const { id } = (await ailing.as('user-1').post('/api/v1/billing/payments', order)).body
    const { database } = ailing.service.parts
    await database.query(sendProof, [id, new Date(ailing.clock.now()).toISOString()])
    await ailing.advance(25 * 3_600)
    ailing.clock.advance(3 * 3_600_000)
    await waitFor(async () => (await figuresOf(ailing)).includes('ishtirak_provider_up 0'))
    expect(alertsFor(await figuresOf(ailing), ailing)).toEqual([
      'IshtirakEventsWait',
      'IshtirakInboxWaits',
      'IshtirakProviderDown',
      'IshtirakJobLate',
    ])
  })

  it('are explained in docs/alerts.md, each with its threshold and what to do', () => {
    const explained = [...read('docs/alerts.md').matchAll(/^\* `(Ishtirak\w+)`, [^:]+:\s+\S/gm)]
    expect(explained.map(([, name]) => name).toSorted()).toEqual(alerts.toSorted())
  })
})

it('the dashboard is sound: panels side by side in 24 columns, queries that Prometheus reads', () => {
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24)
    return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`)
  })
  expect(new Set(cells).size).toBe(cells.length)
  const folder = temporaryFolder()
  const file = path.join(folder, 'rules.json')
  const filled = panelQueries.map((query) =>
    query.replaceAll('$job', 'ishtirak').replaceAll('$__rate_interval', '1m'),
  )
  // JSON is YAML.
  const recorded = filled.map((expr, index) => ({ record: `panel:${index}`, expr }))
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }))
  expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${filled.length} rules found`)
})

describe.each([
  ['the alerts', ruleQueries],
  ['the dashboard', panelQueries],
])('%s', (_name, queries) => {
  it('ask for metrics that the service publishes', () => {
    const names = [...published.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_count', '_sum'].map((part) => name + part) : [name],
    )
    const asked = queries.flatMap(metricsOf)
    expect(asked.length).toBeGreaterThanOrEqual(queries.length)
    expect(asked.filter((name) => !names.includes(name) && !ITS_OWN.includes(name))).toEqual([])
  })

  it('ask for outcomes that stand at 0 from the start, and for routes that exist', () => {
    const selectors = queries.flatMap((query) => [...query.matchAll(/(\w+)\{([^}]*)\}/g)])
    const counted = selectors.flatMap(([, metric = '', matchers = '']) =>
      ['outcome', 'result', 'kind'].flatMap((label) =>
        valuesOf(matchers, label).map((value) => ({ metric, pair: `${label}="${value}"` })),
      ),
    )
    const lines = published.split('\n')
    const isBegun = ({ metric, pair }: { metric: string; pair: string }) =>
      lines.some((line) => line.startsWith(`${metric}{`) && line.includes(pair) && line.endsWith(' 0'))
    expect(counted.length).toBeGreaterThan(2)
    expect(counted.filter((one) => !isBegun(one))).toEqual([])
    const routes = queries.flatMap((query) => valuesOf(query, 'route'))
    const { app } = world.service
    const exists = (url: string) => (['GET', 'POST'] as const).some((method) => app.hasRoute({ method, url }))
    expect(routes.filter((route) => !exists(route))).toEqual([])
  })
})
