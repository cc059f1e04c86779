// The controls in a browser, at `/_sandbox`: clock, faults, deliveries, checkouts. Plain forms without script. What
// merchants and payers wrote goes through `safe`.
import type { Children } from '@kitajs/html'
import type { EmulatorContext } from './context.js'
import type { Faults } from './faults.js'
import { pageOf } from './layout.js'
import type { CheckoutRecord, DeliveryRecord } from './records.js'

/** Older ones are in the JSON. */
const SHOWN_MAX = 50

export function sandboxPage({ store, clock, faults }: EmulatorContext): string {
  return pageOf(
    'en',
    <>
      <h1>Controls of the emulated Chargily Pay</h1>
      <Clock now={clock.now()} />
      <FaultSettingsTable faults={faults.current()} />
      <Deliveries deliveries={newest(store.deliveries.all())} />
      <Checkouts checkouts={newest(store.checkouts.all())} />
    </>,
    { title: 'Clock, faults, deliveries', isOneLanguage: true, style: STYLE },
  )
}

const STYLE = `
main{inline-size:min(70rem,100% - 2rem)}
h2{margin:2rem 0 .5rem;font-size:1.25rem}
form{display:inline-flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:0}
main button{inline-size:auto;min-block-size:2.75rem;margin:0;padding:0 1rem}
.scroll{overflow-x:auto}
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
    <section>
      <h2>Clock</h2>
      <p safe>{`It is ${time}. The service and the emulator share this clock; it only moves forward.`}</p>
      <form method="post" action="/_sandbox/page/clock">
        {STEPS.map(([name, seconds]) => (
          <button type="submit" name="advance_seconds" value={String(seconds)} safe>
            {`Forward by ${name}`}
          </button>
        ))}
      </form>
    </section>
  )
}

/** The rows come from components, which have escaped them. */
function Table({ columns, children }: { columns: readonly string[]; children: Children }) {
  return (
    <div class="scroll">
      <table>
        <tr>
          {columns.map((name) => (
            <th scope="col" safe>
              {name}
            </th>
          ))}
        </tr>
        {children}
      </table>
    </div>
  )
}

function FaultSettingsTable({ faults }: { faults: Faults }) {
  return (
    <section>
      <h2>Faults</h2>
      <p>A fault that is switched on here stays on with its defaults until it is switched off.</p>
      <Table columns={['Fault', 'State', 'Switch']}>
        {Object.entries(faults).map(([name, settings]) => (
          <tr>
            <td safe>{name}</td>
            <td class={settings === null ? '' : 'on'} safe>
              {settings === null ? 'off' : `on ${JSON.stringify(settings)}`}
            </td>
            <td>
              <FaultSwitch name={name} to={settings === null ? 'on' : 'off'} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function FaultSwitch({ name, to }: { name: string; to: 'on' | 'off' }) {
  return (
    <form method="post" action="/_sandbox/page/faults">
      <input type="hidden" name="state" value={to} />
      <button type="submit" name="fault" value={name} aria-label={`Switch ${name} ${to}`} safe>
        {`Switch ${to}`}
      </button>
    </form>
  )
}

function Deliveries({ deliveries }: { deliveries: readonly DeliveryRecord[] }) {
  return (
    <section>
      <h2>Deliveries</h2>
      {deliveries.length === 0 ? (
        <p>No event yet: pay a checkout.</p>
      ) : (
        <Table columns={['Event', 'Checkout', 'State', 'Attempts', 'Again']}>
          {deliveries.map(({ id, type, checkout_id, state, attempts }) => (
            <tr>
              <td>
                <a href={`/_sandbox/deliveries/${id}`} safe>
                  {type}
                </a>
              </td>
              <td safe>{checkout_id}</td>
              <td safe>{state}</td>
              <td safe>{attempts.map(({ status, error }) => status ?? error ?? '').join(', ')}</td>
              <td>
                <form method="post" action="/_sandbox/page/resend">
                  <button type="submit" name="delivery" value={id} aria-label={`Send ${type} ${id} again`}>
                    Send again
                  </button>
                </form>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}

function Checkouts({ checkouts }: { checkouts: readonly CheckoutRecord[] }) {
  return (
    <section>
      <h2>Checkouts</h2>
      {checkouts.length === 0 ? (
        <p>None yet.</p>
      ) : (
        <Table columns={['Checkout', 'Amount', 'Status']}>
          {checkouts.map(({ id, livemode, amount, currency, status }) => (
            <tr>
              <td>
                <a href={`${livemode ? '' : '/test'}/checkouts/${id}/pay`} safe>
                  {id}
                </a>
              </td>
              <td safe>{`${amount} ${currency}`}</td>
              <td safe>{status}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}

function newest<Record>(records: Iterable<Record>): readonly Record[] {
  return [...records].slice(-SHOWN_MAX).reverse()
}
