// The command that puts a receipt into a file.
import { type Command, Option } from 'commander'
import { addFileCommand } from '../acts/cli-file.js'
import type { CommandHost } from '../acts/operator-client.js'
import { LOCALES } from '../core/locale.js'
import { downloadReceipt } from './read-receipt.js'
import { RECEIPT_FORMS } from './render-receipt.js'

export function addReceiptCommand(program: Command, host: CommandHost): void {
  addFileCommand(program, host, {
    usage: 'payments receipt <payment>',
    summary: downloadReceipt.summary,
    flag: '--to',
    options: [
      new Option('--form <form>', 'a page, or the roll of a printer').choices(RECEIPT_FORMS),
      new Option('--lang <lang>', 'else the language of the user').choices(LOCALES),
    ],
    path: (id, { form, lang }) => {
      const query = new URLSearchParams({ ...(form && { form }), ...(lang && { lang }) })
      return `${downloadReceipt.path.replace(':payment_id', id)}?${query}`
    },
  })
}
