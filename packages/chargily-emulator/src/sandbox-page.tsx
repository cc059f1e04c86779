// The emulator's page in a browser, at `/_sandbox`: clock, faults, deliveries, checkouts. Plain forms without
// script. What merchants and payers wrote goes through `safe`.
import type { EmulatorContext } from './context.js'
import type { Faults } from './faults.js'
import { pageOf } from './layout.js'
import type { CheckoutRecord, DeliveryRecord } from './records.js'

/** Older ones are in the JSON. */
const SHOWN_MAX = 50

export function sandboxPage({ store, clock, faults, publicUrl }: EmulatorContext): string {
  return pageOf(
    'en',
    <>
      <h1>Controls of the emulated Chargily Pay</h1>
      <p safe>{`It answers as Chargily Pay V2 does, at ${publicUrl()}/test/api/v2.`}</p>
      <p>
        Programs use /_sandbox/clock, /_sandbox/faults, /_sandbox/deliveries and /_sandbox/checkouts in place
        of this page.
      </p>
      <h2>Clock</h2>
      <Clock now={clock.now()} />
      <h2>Faults</h2>
      <p>A fault that is switched on here stays on with its defaults until it is switched off.</p>
      <Table columns={['Fault', 'State', 'Switch']} rows={faultRows(faults.current())} />
      <h2>Deliveries</h2>
      <Table
        columns={['Event', 'Checkout', 'State', 'Attempts', 'Again']}
        rows={newest(store.deliveries.values()).map(deliveryRow)}
        empty="No event yet: pay a checkout."
      />
      <h2>Checkouts</h2>
      <Table
        columns={['Checkout', 'Amount', 'Status']}
        rows={newest(store.checkouts.values()).map(checkoutRow)}
        empty="None yet."
      />
    </>,
    { title: 'Clock, faults, deliveries', isOneLanguage: true, style: STYLE },
  )
}

const STYLE = `
main{inline-size:min(70rem,100% - 2rem)}
h1{font-size:1.5rem;color:var(--ink)}
h2{margin:2rem 0 .5rem;font-size:1.25rem}
form{display:inline-flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:0}
main button{inline-size:auto;min-block-size:2.75rem;margin:0;padding:0 1rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;inline-size:100%}
th,td{padding:.5rem;border-block-end:1px solid var(--line);text-align:start;vertical-align:middle}
.on{font-weight:700;color:var(--warn)}
`

const STEPS = [
  ['an hour', 3_600],
  ['a day', 86_400],
  ['31 days', 2_678_400],
] as const

function Clock({ now }: { now: number }) {
  const time = new Date(now).toISOString()
  return (
    <>
      <p safe>{`It is ${time}. The service and the emulator share this clock; it only moves forward.`}</p>
      <form method="post" action="/_sandbox/page/clock">
        {STEPS.map(([name, seconds]) => (
          <button type="submit" name="advance_seconds" value={String(seconds)} safe>
            {`Forward by ${name}`}
          </button>
        ))}
      </form>
    </>
  )
}

interface TableContent {
  readonly columns: readonly string[]
  /** Cells come from components, which have escaped them. */
  readonly rows: readonly (readonly JSX.Element[])[]
  /** Shown without rows. */
  readonly empty?: string
}

function Table({ columns, rows, empty = '' }: TableContent) {
  if (rows.length === 0) return <p safe>{empty}</p>
  return (
    <div class="wide">
      <table>
        <tr>
          {columns.map((name) => (
            <th scope="col" safe>
              {name}
            </th>
          ))}
        </tr>
        {rows.map((safeCells) => (
          <tr>
            {safeCells.map((safeCell) => (
              <td>{safeCell}</td>
            ))}
          </tr>
        ))}
      </table>
    </div>
  )
}

const text = (value: string) => <span safe>{value}</span>

function faultRows(faults: Faults) {
  return Object.entries(faults).map(([name, settings]) => {
    const target = settings === null ? 'on' : 'off'
    return [
      text(name),
      <span class={settings === null ? '' : 'on'} safe>
        {settings === null ? 'off' : `on ${JSON.stringify(settings)}`}
      </span>,
      <form method="post" action="/_sandbox/page/faults">
        <input type="hidden" name="state" value={target} />
        <button type="submit" name="fault" value={name} aria-label={`Switch ${target} ${name}`} safe>
          {`Switch ${target}`}
        </button>
      </form>,
    ]
  })
}

function deliveryRow({ id, type, checkout_id, state, attempts }: DeliveryRecord) {
  return [
    <a href={`/_sandbox/deliveries/${id}`} safe>
      {type}
    </a>,
    text(checkout_id),
    text(state),
    text(attempts.map(({ status, error }) => status ?? error ?? '').join(', ')),
    <form method="post" action="/_sandbox/page/resend">
      <button type="submit" name="delivery" value={id} aria-label={`Send again ${type} ${id}`}>
        Send again
      </button>
    </form>,
  ]
}

function checkoutRow({ id, livemode, amount, currency, status }: CheckoutRecord) {
  return [
    <a href={`${livemode ? '' : '/test'}/checkouts/${id}/pay`} safe>
      {id}
    </a>,
    text(`${amount} ${currency}`),
    text(status),
  ]
}

function newest<Record>(records: Iterable<Record>): readonly Record[] {
  return [...records].slice(-SHOWN_MAX).reverse()
}
