// The card that shows the money of a month or a year step by step: received, sold, its tax, what is left, and
// what the card provider paid out.
import type { View } from '../pages/console-frame.js'
import { Hint } from '../pages/console-parts.js'
import { Card } from '../pages/parts.js'
import type { moneyOf } from './months.js'

/** A step of 0 is left out unless it has a third member. A `sum` ends a group. */
type Step = readonly [name: string, centimes: number, is?: 'sum' | 'of' | 'told']

export function Story({ view, of }: { view: View; of: ReturnType<typeof moneyOf> }) {
  const { say } = view
  const { received, paid, refunded, balance, paid_out_by_provider: payouts } = of
  const steps: readonly Step[] = [
    [say('storyReceived'), received.total, 'sum'],
    [say('receivedAdvances'), -received.advances],
    [say('receivedUsed'), received.used],
    [say('storySales'), paid.total, 'sum'],
    [say('storyNet'), paid.ht, 'of'],
    [say('storyTax'), paid.tva, 'of'],
    [say('storyDuty'), paid.stamp_duty],
    [say('refundedSum'), -refunded.ttc],
    [say('feesSum'), -paid.fees],
    [say('netSum'), balance.net, 'sum'],
    ...((payouts.count === 0
      ? []
      : [
          [say('cameByCard'), payouts.came, 'told'],
          [say('paidOutTitle'), payouts.amount, 'told'],
          [say('paidOutDifference'), payouts.difference, 'sum'],
        ]) satisfies readonly Step[]),
  ]
  return (
    <Card id="story" title={say('storyTitle')}>
      <dl class="story">
        {steps.map(([name, centimes, is]) =>
          centimes === 0 && is === undefined ? null : (
            <div class={is}>
              <dt safe>{name}</dt>
              <dd class="nowrap" safe>
                {view.centimes(centimes)}
              </dd>
            </div>
          ),
        )}
      </dl>
      {payouts.count === 0 ? null : <Hint>{say('paidOutText', { count: view.number(payouts.count) })}</Hint>}
    </Card>
  )
}
