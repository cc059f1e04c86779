// The payments of all users as a list: by API, by command, as a file and in the console.
import { list } from '../acts/list.js'
import type { ListPage } from '../acts/list-page.js'
import { type Payment, publicMethodOf } from '../core/payment.js'
import { listQuery } from '../events/schemas.js'
import { paidForInWords } from '../i18n/formats.js'
import { type Labels, readLabels, StatusBadge } from '../ledger/labels.js'
import { CreatedFilterSchema, PaymentFilterSchema, pageOfPayments } from '../ledger/payment-list.js'
import { addressOf } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import type { AllPages, ReadDeps } from './all-pages.js'
import { ListedPaymentSchema, OperatorPaymentSchema } from './schemas.js'
import { TIME_FIELDS } from './user-list.js'
import { paymentViewForOperators, paymentViewForPlatform } from './views.js'

export const paymentList = list<ReadDeps>()({
  path: '/payments',
  operationId: 'listAllPayments',
  summary: 'Payments of all users, newest first',
  filter: PaymentFilterSchema,
  limit: listQuery.limit,
  item: OperatorPaymentSchema,
  title: 'OperatorPayments',
  command: { usage: 'payments list', rows: 'payments' },
  read: pageOfPayments,
  view: paymentViewForOperators,
  file: {
    permission: { name: 'payments.export', roles: ['accountant'] },
    path: '/exports/payments',
    operationId: 'exportPayments',
    summary: 'All payments of a list, as CSV',
    usage: 'payments export',
    columns: [
      ...['id', 'user_id', 'kind', 'plan', 'months', 'amount', 'currency', 'status', 'method'],
      ...['payment_method', 'created_at', 'paid_at', 'period_start', 'period_end', 'checkout_id'],
      ...['bought_by', 'metadata'],
    ],
  },
})

export const platformPaymentList = list<ReadDeps>()({
  path: '/payments',
  operationId: 'listPaymentsForPlatform',
  summary: 'Payments of all users, newest first',
  filter: CreatedFilterSchema,
  limit: listQuery.limit,
  item: ListedPaymentSchema,
  title: 'ListedPaymentPage',
  command: null,
  read: pageOfPayments,
  view: paymentViewForPlatform,
})

type Named = Payment & { readonly of: ReturnType<Labels['user']> }

export async function namedPayments(
  pages: AllPages,
  payments: readonly Payment[],
): Promise<readonly Named[]> {
  const labels = await readLabels(pages, { users: payments.map(({ userId }) => userId) })
  return payments.map((payment) => ({ ...payment, of: labels.user(payment.userId) }))
}

export const paymentsPage: ListPage<AllPages, Payment, Named> = {
  path: 'payments',
  title: 'payments',
  list: paymentList,
  fields: {
    ...{ status: 'status', paid_from: 'paid_from', paid_until: 'paid_until' },
    ...TIME_FIELDS,
    user_id: 'userId',
  },
  shown: 25,
  rows: namedPayments,
  columns: [
    {
      head: 'payment',
      link: (payment, { locale }, { base }) => ({
        href: addressOf(base, 'payments', payment.id),
        text: paidForInWords(payment, locale),
        under: payment.id,
      }),
    },
    { head: 'user', user: ({ of }) => of },
    { head: 'amount', nowrap: (payment, { amountPaid }) => amountPaid(payment) },
    { head: 'status', safe: (payment, view) => <StatusBadge {...{ view, payment }} /> },
    { head: 'method', text: ({ method }, view) => codeInWords(view, 'method', publicMethodOf(method)) },
    { head: 'when', nowrap: ({ paidAt, createdAt }, { moment }) => moment(paidAt ?? createdAt) },
  ],
  bulk: 'payment',
}
